// The control of a run under way: pause, step, resume, other texts and caps, messages. The server
// takes it only from the browser that opened the printed address, whose token is exchanged here.
import { html, useEffect, useState, get, post, route, single, num, clean, Rows, Pick, heads, Note } from './lib.js';

const { path, q } = route();
// entering is over when this browser was let in, with the reason if it was not.
export let entering = Promise.resolve('');
if (q.has('control') && !single) {
	const token = q.get('control');
	q.delete('control'); // it is good for once and stays in no history
	history.replaceState(null, '', '#' + path + '?' + q);
	entering = post('control/enter', { token }).then(() => '', (error) => error.message);
}

const pollEvery = 1000;
const textMax = 200;

export function Control({ agents }) {
	const [of, set] = useState(null);
	const [failed, fail] = useState('');
	const [said, say] = useState('');
	useEffect(() => {
		if (single) return;
		let timer = 0, gone = false;
		const look = async () => {
			try {
				const now = await get('control');
				if (gone) return;
				set(now);
				if (!now.control || now.ended) return;
			} catch { /* the run and its page may have ended; the next look shows it */ }
			if (!gone) timer = setTimeout(look, pollEvery);
		};
		look();
		return () => { gone = true; clearTimeout(timer); };
	}, []);
	if (!of || !of.control) return '';
	const ask = async (control) => {
		fail(''); say('');
		try {
			const { number } = await post('control', control);
			say('Request ' + number + ' was accepted.');
			set(await get('control'));
			return true;
		} catch (error) { fail(error.message); return false; }
	};
	const state = of.ended ? 'The run has ended.' : of.paused ? 'Paused before tick ' + num(of.tick) + '.' : of.tick ? 'Playing tick ' + num(of.tick) + '.' : 'About to begin.';
	return html`<section class="card control" aria-label="Control of the run">
		<div class="bar"><h2>Control</h2><span role="status">${state} ${said}</span></div>
		${failed && html`<${Note} bad>${clean(failed)}<//>`}
		${!of.allowed && html`<p class="soft small">This browser only looks on. The file <code>control-address</code> in the directory of the run has an address that lets one browser in, once, instead of the one before.</p>`}
		${of.allowed && !of.ended && html`
			<div class="bar">
				<button disabled=${of.paused} onClick=${() => ask({ kind: 'pause' })}>Pause the run</button>
				<button onClick=${() => ask({ kind: 'step' })}>Step one tick</button>
				<button disabled=${!of.paused} onClick=${() => ask({ kind: 'resume' })}>Resume the run</button>
			</div>
			<${Message} ...${{ agents, ask }} />
			<${Texts} ...${{ agents, ask }} />
			<${Caps} ...${{ caps: of.caps, ask, key: JSON.stringify(of.caps) }} />`}
		${of.requests.length > 0 && html`<${Requests} list=${of.requests} />`}
	</section>`;
}

// Form is a form that opens, with a button that sends what it has; sent empties it.
function Form({ name, button, send, children }) {
	return html`<details class="box"><summary>${name}</summary>
		<form onSubmit=${(e) => { e.preventDefault(); send(); }}>${children}<button class="primary" type="submit">${button}</button></form></details>`;
}

const To = ({ agents, value, set }) => html`<label>To <${Pick} ids=${agents.map((a) => a.id)} none="all agents" ...${{ value, set }} /></label>`;

function Message({ agents, ask }) {
	const [agent, to] = useState(''), [text, write] = useState('');
	return html`<${Form} name="Message as operator" button="Send the message" send=${async () => { if (await ask({ kind: 'message', agent, text })) write(''); }}>
		<${To} ...${{ agents, value: agent, set: to }} />
		<label>Text, at most ${textMax} characters <textarea rows="2" maxlength=${textMax} required value=${text} onInput=${(e) => write(e.target.value)}></textarea></label>
		<p class="soft small">It reaches them when the next tick begins. To them it is the text of a stranger, and the guard treats it so.</p><//>`;
}

function Texts({ agents, ask }) {
	const [agent, to] = useState(''), [of, write] = useState({});
	const names = { short_term_goal: 'Short-term goal', long_term_goal: 'Long-term goal', system_prompt: 'System prompt' };
	const given = Object.fromEntries(Object.keys(names).filter((k) => of[k]).map((k) => [k, of[k]]));
	return html`<${Form} name="Goals and system prompt" button="Change the texts" send=${async () => { if (await ask({ kind: 'switch', agent, ...given })) write({}); }}>
		<${To} ...${{ agents, value: agent, set: to }} />
		${Object.entries(names).map(([k, name]) => html`<label>${name} <textarea rows=${k === 'system_prompt' ? 4 : 1} value=${of[k] || ''} onInput=${(e) => write({ ...of, [k]: e.target.value })}></textarea></label>`)}
		<p class="soft small">What is left empty stays as it is.</p><//>`;
}

const scopes = { run: 'the run', agent: 'each agent', tick: 'each tick' };
const units = { calls: 'calls', tokens: 'tokens', cost: 'cost' };

function Caps({ caps, ask }) {
	const [of, write] = useState(caps);
	const at = (s, u) => (of[s] && of[s][u]) || '';
	const send = () => ask({ kind: 'caps', caps: Object.fromEntries(Object.keys(scopes).map((s) => [s, { calls: Number(at(s, 'calls')) || 0, tokens: Number(at(s, 'tokens')) || 0, cost: at(s, 'cost') }])) });
	return html`<${Form} name="Caps" button="Change the caps" send=${send}>
		${Object.entries(scopes).map(([s, scope]) => html`<div class="bar">${Object.entries(units).map(([u, unit]) => html`<label>${unit} of ${scope} <input size="9" inputmode=${u === 'cost' ? 'decimal' : 'numeric'} pattern=${u === 'cost' ? '[0-9.]*' : '[0-9]*'} value=${at(s, u)} onInput=${(e) => write({ ...of, [s]: { ...of[s], [u]: e.target.value } })} /></label>`)}</div>`)}
		<p class="soft small">Empty is no cap. What was spent counts.</p><//>`;
}

function Requests({ list }) {
	const became = (r) => r.refused ? html`<span class="bad">refused: ${clean(r.refused)}</span>` : r.tick ? 'taken before tick ' + num(r.tick) : html`<span class="warn">waits for the next tick</span>`;
	return html`<${Rows} name="What was asked for" list=${list.slice().reverse()} head=${heads('Request', 'What', 'Became')} row=${(r) => html`<td>${num(r.number)}</td><td>${clean(r.what)}${r.text ? html`: <q>${clean(r.text)}</q>` : ''}</td><td class="small">${became(r)}</td>`} />`;
}
