// The control of a run under way: pause, step, resume, other texts and caps, messages. The server
// takes it only from the browser that opened the printed address, whose token is exchanged here.
import { html, useEffect, useServer, useState, get, post, route, single, num, clean, shown, words, Rows, Pick, heads,
	Note } from './lib.js';

// entering is over when this browser was let in, with the reason if it was not, which hears of it
// again for each address that is put into the tab later on.
export let entering = Promise.resolve('');
function enter() {
	const { path, q } = route();
	if (single || !q.has('control')) return;
	const token = q.get('control');
	q.delete('control'); // it is good for once and stays in no history
	history.replaceState(null, '', '#' + path + '?' + q);
	entering = post('control/enter', { token }).then(() => '', (error) => error.message);
	entering.then((refused) => window.dispatchEvent(new CustomEvent('entered', { detail: refused })));
}
enter();
window.addEventListener('hashchange', enter);

// The waits of a page between two looks, in milliseconds: the longer the server is silent, the longer.
const pollEvery = 1000, pollMax = 60000;
const textMax = 200;

// pending says what a pause that was asked for waits for.
function pending(run, of) {
	const turns = run.live ? run.live.turns.filter((t) => t.state === 'asked' || t.state === 'thinking') : [];
	const first = turns.reduce((a, b) => (a && a.since_ms >= b.since_ms ? a : b), null);
	return 'Pause asked for: it begins when tick ' + num(of.tick) + ' is played' + (first ? ', which waits for '
		+ clean(first.agent) + (turns.length > 1 ? ' and ' + num(turns.length - 1) + ' more' : '') : '') + '.';
}

export function Control({ run }) {
	const agents = run.agents, server = useServer();
	const [of, set] = useState(null);
	useEffect(() => {
		if (single) return;
		let timer = 0, gone = false, wait = pollEvery;
		const look = async () => {
			clearTimeout(timer);
			try {
				const now = await get('control');
				if (gone) return;
				set(now); wait = pollEvery;
				if (!now.control || now.ended) return;
			} catch { wait = Math.min(2 * wait, pollMax); } // the page says itself that its server is gone
			if (!gone) { clearTimeout(timer); timer = setTimeout(look, wait); }
		};
		look();
		window.addEventListener('entered', look);
		return () => { gone = true; clearTimeout(timer); window.removeEventListener('entered', look); };
	}, []);
	const waits = Boolean(of && of.control && of.requests.some((r) => r.what === 'paused' && !r.tick && !r.refused));
	const ask = async (control) => {
		const { number } = await post('control', control);
		set(await get('control'));
		return 'Request ' + number + ' was accepted.';
	};
	const [button, told] = useTold();
	if (!of || !of.control) return '';
	const state = of.ended
		? 'The run has ended' +
			(run.end ? ': ' + words(run.end.run_status) + (run.end.reason ? ', ' + clean(run.end.reason) : '') : '') + '.'
				: of.paused ? 'Paused before tick ' + num(of.tick) + '.' : waits ? pending(run, of) : of.tick ?
					'Playing tick ' + num(of.tick) + '.'
					: 'About to begin.';
	return html`<section class="card control" aria-label="Control of the run">
		<div class="bar"><h2>Control</h2><span role="status">${server.gone && !of.ended ? 'Last known: ' : ''}${
			state}</span></div>
		${!of.allowed && !of.ended &&
			html`<p class="soft small">This browser only looks on. The file <code>control-address</code> in the directory
				of the
				run has an address that lets one browser in, once, instead of the one before.</p>`}
		${of.allowed && !of.ended && html`
			<div class="bar">
				<button disabled=${of.paused || waits} onClick=${() => button(() => ask({ kind: 'pause' }))}>Pause the
					run</button>
				<button onClick=${() => button(() => ask({ kind: 'step' }))}>Step one tick</button>
				<button disabled=${!of.paused} onClick=${() => button(() => ask({ kind: 'resume' }))}>Resume the run</button>
				${told}
			</div>
			<${Message} ...${{ agents, ask }} />
			<${Texts} ...${{ agents, ask }} />
			<${Caps} ...${{ caps: of.caps, ask, run }} />`}
		${of.requests.length > 0 && html`<${Requests} list=${of.requests} />`}
	</section>`;
}

// useTold gives what carries a request out, and what became of the last one, for beside its button.
function useTold() {
	const [told, tell] = useState(null);
	const run = async (ask) => {
		tell(null);
		try { tell(html`<span class="small" role="status">${await ask()}</span>`);
		} catch (error) { tell(html`<span class="small bad" role="alert">${shown(error.message)}</span>`); }
	};
	return [run, told];
}

// Form is a form that opens, with a button that sends what it has, if that is something.
function Form({ name, button, empty, send, children }) {
	const [run, told] = useTold();
	return html`<details class="box"><summary>${name}</summary>
		<form onSubmit=${(e) => { e.preventDefault(); run(send); }}>${children}<div class="bar">
			<button class="primary" type="submit" disabled=${empty}>${button}</button>${told}</div></form></details>`;
}

const To = ({ agents, value, set }) =>
	html`<label>To <${Pick} ids=${agents.map((a) => a.id)} none="all agents" ...${{ value, set }} /></label>`;

function Message({ agents, ask }) {
	const [agent, to] = useState(''), [text, write] = useState('');
	return html`<${Form} name="Message as operator" button="Send the message" empty=${!text.trim()}
		send=${async () => { const said = await ask({ kind: 'message', agent, text }); write(''); return said; }}>
		<${To} ...${{ agents, value: agent, set: to }} />
		<label>Text, at most ${textMax} characters <textarea rows="2" maxlength=${textMax} required value=${text}
			onInput=${(e) => write(e.target.value)}></textarea></label>
		<p class="soft small">It reaches them when the next tick begins. To them it is the text of a stranger, and the
			guard
			treats it so.</p><//>`;
}

function Texts({ agents, ask }) {
	const [agent, to] = useState(''), [of, write] = useState({});
	const names = { short_term_goal: 'Short-term goal', long_term_goal: 'Long-term goal', system_prompt:
		'System prompt' };
	const given = Object.fromEntries(Object.keys(names).filter((k) => of[k]).map((k) => [k, of[k]]));
	return html`<${Form} name="Goals and system prompt" button="Change the texts" empty=${Object.keys(given).length ===
		0}
		send=${async () => { const said = await ask({ kind: 'switch', agent, ...given }); write({}); return said; }}>
		<${To} ...${{ agents, value: agent, set: to }} />
		${Object.entries(names)
			.map(([k, name]) => html`<label>
				${name} <textarea rows=${k === 'system_prompt' ? 4 : 1} value=${of[k] || ''}
					onInput=${(e) => write({ ...of, [k]: e.target.value })}></textarea></label>`)}
		<p class="soft small">What is left empty stays as it is.</p><//>`;
}

const scopes = { run: 'the run', agent: 'each agent', tick: 'each tick' };
const units = { calls: 'calls', tokens: 'tokens', cost: 'cost' };

function Caps({ caps, ask, run }) {
	const [of, write] = useState({}), now = (s, u) => (caps[s] && caps[s][u]) || '';
	const at = (s, u) => (of[s] || {})[u] ?? now(s, u);
	const given = (at) =>
		Object.fromEntries(Object.keys(scopes)
			.map((s) => [s, { calls: Number(at(s, 'calls')) || 0, tokens: Number(at(s, 'tokens')) || 0, cost: at(s, 'cost')
				}]));
	const same = JSON.stringify(given(at)) === JSON.stringify(given(now));
	const total = (...of) => of.reduce((n, c) => n + run.columns[c].reduce((a, b) => a + b, 0), 0);
	const spent = { calls: total('calls'), tokens: total('input', 'output'), cost: total('cost_micros') / 1e6 };
	const over = Object.keys(units).filter((u) => Number(at('run', u)) > 0 && Number(at('run', u)) <= spent[u]);
	return html`<${Form} name="Caps" button=${over.length ? 'Change the caps and end the run' : 'Change the caps'}
		empty=${same} send=${async () => { const said = await ask({ kind: 'caps', caps: given(at) }); write({});
			return said;
		}}>
		${Object.entries(scopes)
			.map(([s, scope]) => html`<div class="bar">
				${Object.entries(units)
					.map(([u, unit]) => html`<label>
						${unit} of ${scope} <input size="9" inputmode=${u === 'cost' ? 'decimal' : 'numeric'} pattern=${u ===
							'cost'
							? '[0-9.]*' : '[0-9]*'} value=${at(s, u)}
								onInput=${(e) => write({ ...of, [s]: { ...of[s], [u]: e.target.value } })} /></label>`)}</div>`)}
		<p class="soft small">Empty is no cap. What was spent counts: ${num(spent.calls)} calls, ${num(spent.tokens)}
			tokens${run.row.currency ? ', cost ' + spent.cost : ''}.</p>
		${over.length > 0 &&
			html`<${Note} bad>The run has spent ${over.map((u) => (u === 'cost' ? 'a cost of ' + spent.cost
				: num(spent[u]) + ' ' + units[u])).join(' and ')} already: this cap ends it before its next tick.<//>`}<//>`;
}

// What is asked for reads as a wish until it is taken.
const wishes = { paused: 'pause', resumed: 'resume', 'one tick': 'step one tick' };

function Requests({ list }) {
	const became = (r) => r.refused ? html`<span class="bad">refused: ${shown(r.refused)}</span>` : r.tick
		? 'taken before tick ' + num(r.tick) : html`<span class="warn">waits for the next tick</span>`;
	return html`<${Rows} name="What was asked for" list=${list.slice().reverse()}
		head=${heads('Request', 'What', 'Became')}
			row=${(r) => html`<td>${num(r.number)}</td><td>${shown(wishes[r.what] || r.what)}${r.text ? html`: <q>${
				shown(r.text)}</q>` : ''}</td>
				<td class="small">${became(r)}</td>`} />`;
}
