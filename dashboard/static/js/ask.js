// Questions to an agent: those that were put, and a form for another where the server takes them.
import { html, useState, useData, useVersion, post, num, money, shown, words, Note, Waiting } from './lib.js';

// Asks shows the questions to an agent after one tick, or after all; a new one is about the tick now.
export function Asks({ id, tick, now, agent }) {
	const of = useData('asks', { run: id }, useVersion(id));
	const data = of.data || of.old;
	if (!data) return html`<h3>Questions</h3><${Waiting} of=${of} />`;
	const list = data.asks.filter((a) => a.agent_id === agent && (!tick || a.tick === tick));
	return html`<h3>Questions${list.length ? ' (' + num(list.length) + ')' : ''}</h3>
		${list.length === 0 &&
			html`<p class="soft small">None was put to it ${tick ? 'after this tick' : 'yet'}.${data.can ? ''
				: html` From a terminal: <code>ask RUN 'Why?' --agent ${shown(agent)}${tick ? ' --tick ' + tick : ''}</code>`}</p>`}
		${data.can && (tick || now) > 0 &&
			html`<${Form} id=${id} tick=${tick || now} agent=${agent} known=${data.asks.length} />`}
		${list.map((a, i) => html`<${Answer} key=${i} a=${a} />`)}`;
}

function Form({ id, tick, agent, known }) {
	const [text, setText] = useState(''), [busy, setBusy] = useState(false), [wrong, setWrong] = useState(''),
		[old, setOld] = useState(false);
	const send = async (e) => {
		e.preventDefault();
		setBusy(true); setWrong(''); setOld(false);
		try { setOld((await post('ask', { run: id, agent, tick, text })).asks.length === known); setText('');
		} catch (err) { setWrong(err.message); }
		setBusy(false);
	};
	return html`<form class="step ask" onSubmit=${send}><label><span>Ask ${shown(agent)} as it was after tick ${num(tick)}
		</span><textarea rows="2" maxlength="4000" value=${text} onInput=${(e) => setText(e.target.value)}></textarea></label>
		<div class="bar"><button class="primary" disabled=${busy || !text.trim()}>Ask</button>
			<span class="soft small" role="status">
				${busy ? 'The model is asked…' : old ? 'It was asked this before: the answer below cost nothing.'
					: 'It changes nothing in the world. The model is billed as for any call.'}</span></div>
		${wrong && html`<${Note} bad>${shown(wrong)}<//>`}</form>`;
}

function Answer({ a }) {
	return html`<section class=${'step' + (a.failure ? ' bad' : '')} aria-label=${'question after tick ' + a.tick}>
		<p><b>${shown(a.question)}</b></p>
		${a.failure ? html`<p class="bad">No answer: ${shown(words(a.failure))}</p>` : html`<pre>${shown(a.text)}</pre>`}
		${a.cited.length > 0 &&
			html`<p class="small">Sources: ${a.cited.map((c) => html`<code>${shown(c.id)}</code>
				${c.status === 'used' ? '' : html` <span class="warn">not in view</span>`} `)}</p>`}
		<p class="soft small">after tick ${num(a.tick)}${a.turn_tick !== a.tick ? ', decided last in tick ' + num(a.turn_tick)
			: ''} · ${shown(a.model)} (${words(a.model_source)}) · ${num(a.usage.total)} tokens · ${money(a.cost_micros,
				a.currency)}
				</p></section>`;
}
