// A run: its world with the timeline, an agent, a decision, figures, the log.
import { html, useEffect, useMemo, useRef, useState, useData, useServer, useVersion, useSize, Rows, heads, single,
	go, href, get,
	saw, num, money, clean, shown, words, noAnswer, refused, css, sharp, Png, Sheet, Pill, Set_, Note, Waiting,
	actionText } from './lib.js';
import { Map2, layers } from './map.js';
import { Agent } from './agent.js';
import { Decision } from './decision.js';
import { Figures } from './figures.js';
import { Log } from './log.js';
import { Control } from './control.js';
import { Contacts } from './contacts.js';
import { Summary } from './summary.js';

const panels = { world: 'World', contacts: 'Between agents', figures: 'Figures', log: 'Log', about: 'About' };

const inBatch = /^(?:(.+)\/)?cells\/[^/]+\/[^/]+\/run$/; // where a batch keeps its runs

export function Run({ q, theme }) {
	const id = q.get('id') || '.'; // a single file has one run
	const version = useVersion(id), list = useVersion('*');
	const of = useData('run', { run: id }, version + ':' + list);
	const run = of.data || of.old;
	const panel = panels[q.get('panel')] ? q.get('panel') : 'world';
	const server = useServer(), over = Boolean(run && run.end && run.row.status !== 'running');
	useEffect(() => { if (over) saw(); }, [over]);
	const name = run ? run.name : id;
	useEffect(() => { document.title = clean(name) + ' · Agent World'; }, [name]);
	if (!run) return html`<h1>${shown(id)}</h1><${Waiting} of=${of} what="Reading the run…" />`;
	const asked = q.get('tick') || '', isTick = /^[0-9]{1,15}$/.test(asked), live = !isTick;
	const tick = live ? run.tick : Math.min(Number(asked), run.tick);
	const agent = run.agents.some((a) => a.id === q.get('agent')) ? q.get('agent') : '';
	const wrong = [asked && !isTick && asked + ' is no tick: this is the last one.', isTick && Number(asked) > run.tick
		&&
		'There is no tick ' + num(asked) + (run.row.status === 'running' || run.reading ? ' yet' : '') +
			': this is the last one.', q.get('agent') && !agent &&
				'There is no agent ' + q.get('agent') + ' in this run.'].filter(Boolean);
	const row = run.row, cell = !single && inBatch.exec(id), open = q.get('open') === '1';
	const to = (p) => href('/run', { id, tick: q.get('tick'), agent: q.get('agent'), panel: p === 'world' ? '' : p,
		hide: q.get('hide'), find: q.get('find'), follow: q.get('follow') });
	return html`
		<div class="bar spread"><div class="bar"><h1>${id === '.' ? clean(row.scenario) : clean(id)}
			</h1> ${server.gone && row.status === 'running' ? html`<span class="pill bad">last seen running</span>`
				: html`<${Pill} status=${row.status} />`} <${Set_} list=${row.set} />
				${cell && html`<a href=${'api/batch?batch=' + encodeURIComponent(cell[1] || '.')}>
					${cell[1] ? html`batch ${shown(cell[1])}` : 'its batch'}</a>`}</div>
			<span class="soft small">
				${shown(row.scenario)} · ${shown(row.model)}${row.model_source === 'scripted'
					? ' (wiring only, no evidence about models)' : ''} · seed ${row.seed}</span></div>
		<dl class="stats">
			${[['Ticks', num(run.tick) + (row.ticks_requested ? ' of ' + num(row.ticks_requested) : '')],
				['Model calls', num(sum(run.columns.calls))], ['Tokens', num(sum(run.columns.input) +
					sum(run.columns.output))],
					['Cost', money(sum(run.columns.cost_micros), row.currency)]].map(([k, v]) =>
						html`<div><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>
		${run.damage && html`<${Note} bad>The trace cannot be read on: ${shown(run.damage)}<//>`}
		${wrong.length > 0 && html`<${Note} bad>${shown(wrong.join(' '))}<//>`}
		${run.differs && html`<${Note}>There is no world to show: ${shown(run.differs)}<//>`}
		${run.reading && html`<p class="soft small" role="status">Reading the trace: tick ${num(run.tick)} so far.</p>`}
		<${Summary} ...${{ id, run }} open=${panel === 'world' && !open} />
		<${Control} run=${run} />
		<nav class="tabs" aria-label="Views of the run">
			${Object.entries(panels)
				.map(([p, name]) => html`<a href=${to(p)} aria-current=${p === panel ? 'page' : undefined}>${
					name}</a>`)}</nav>
		${panel === 'world' && html`<${World} ...${{ id, run, tick, live, agent, q, theme }} />`}
		${panel === 'contacts' && html`<${Contacts} ...${{ id, run, q, version }} />`}
		${panel === 'figures' && html`<${Figures} ...${{ run, tick, theme }} />`}
		${panel === 'log' && html`<${Log} ...${{ id, run, q, version }} />`}
		${panel === 'about' && html`<${About} ...${{ run }} />`}`;
}

const sum = (list) => (list || []).reduce((a, b) => a + b, 0);
const frames = new Map();

// frame is the world of a tick; the last ones are kept.
async function frame(id, tick) {
	const key = id + ' ' + tick;
	if (frames.has(key)) return frames.get(key);
	const world = await get('world', { run: id, tick });
	if (world.tick === tick) {
		frames.set(key, world);
		if (frames.size > 60) frames.delete(frames.keys().next().value);
	}
	return world;
}

// useWorld shows one world after the other, each as soon as it is there: ticks may change faster
// than worlds come, and of those that do only the last one is asked for.
function useWorld(id, tick) {
	const [state, set] = useState({});
	const now = useRef({ busy: false, want: null, last: -1 });
	useEffect(() => {
		const of = now.current;
		if (tick < 0) return;
		of.want = { id, tick };
		if (of.busy) return;
		(async () => {
			for (of.busy = true; of.want;) {
				const { id, tick } = of.want;
				of.want = null;
				try {
					set({ world: await frame(id, tick), id });
					if (tick === of.last + 1) frame(id, tick + 1).catch(() => {}); // somebody moves on
					of.last = tick;
				} catch (e) { set((s) => ({ ...s, error: e.message })); }
			}
			of.busy = false;
		})();
	}, [id, tick]);
	return state.id === id || state.error ? state : {};
}

function World({ id, run, tick, live, agent: chosen, q, theme }) {
	const { world, error } = useWorld(id, Math.min(tick, run.world));
	const [unknown, setUnknown] = useState(0);
	const chart = useData('chart', run.world < 0 ? null : { run: id }, unknown);
	useEffect(() => { // of a large belt the chart has only places where somebody was
		if (!chart.data || !chart.data.omitted || !world) return;
		const ids = new Set(chart.data.places.map((p) => p.id));
		if (world.agents.some((a) => !ids.has(a.journey ? a.journey.to : a.place))) setUnknown(run.tick);
	}, [world, chart.data]);
	const open = q.get('open') === '1';
	// What the map shows is in the address; layers that are hidden are named, as most are shown.
	const hiding = q.get('hide') || '', find = q.get('find') || '', follow = q.get('follow') === '1';
	const show = useMemo(() => Object.fromEntries(Object.keys(layers).map((k) => [k, !hiding.split(' ').includes(k)])),
		[hiding]);
	const turn = (k) => go({ hide: Object.keys(layers).filter((l) => show[l] === (l === k)).join(' ') }, true);
	const pick = (agent) => { go({ agent, open: '' }); reveal(); };
	return html`
		<${Timeline} ...${{ id, run, tick, live, theme }} />
		<div class=${'run' + (chosen ? ' chose' : '') + (chosen && open ? ' reading' : '')}>
			<div>
				${chart.data && world
					? html`<${Map2} chart=${chart.data} ...${{ world, chosen, follow, show, find, theme, pick }} />`
						: html`<div class="map card">
							<${Waiting} of=${{ error: chart.error || error }} what=${run.world < 0 ?
								'There is no map without a world.'
								: 'Playing the world…'} /></div>`}
				<div class="filters" role="group" aria-label="What the map shows">
					${Object.entries(layers)
						.map(([k, name]) => html`<label>
							<input type="checkbox" checked=${show[k]} onChange=${() => turn(k)} />${
								name}
								</label>`)}
					<label>find agents <input type="search" size="10" value=${find}
						onInput=${(e) => go({ find: e.target.value }, true)} />
						</label>
					<label><input type="checkbox" checked=${follow} disabled=${!chosen}
						onChange=${() => go({ follow: follow ? '' : 1 }, true)} />Follow ${chosen ? clean(chosen) : 'the agent'}</label>
				</div>
			</div>
			<div class="tables">${world && html`<${Tables} ...${{ world, chart: chart.data }} />`}</div>
			<div class="card details" aria-label="Details" role="region">
				${chosen && open ? html`<${Decision} ...${{ id, tick, agent: chosen, run, key: chosen + tick }} />` : chosen
					? html`<${Agent} ...${{ id, tick, agent: chosen, run, world, theme, key: chosen }} />` : world
						? html`<${Agents} ...${{ world, find, pick }} />` : html`<p class="empty">…</p>`}
			</div>
		</div>`;
}

function Agents({ world, find, pick }) {
	const rows = world.agents.map((a, i) => ({ a, did: world.did[i] }))
		.filter(({ a }) => !find || (a.id + ' ' + (a.name || '')).toLowerCase().includes(find.toLowerCase()));
	return html`<h2>Agents after tick ${num(world.tick)}</h2>
		${find && html`<p
			class="soft small">Only those with “${shown(find)}”: ${num(rows.length)} of ${num(world.agents.length)}.</p>`}
		<${Rows} name="Agents" kind="scroll" list=${rows}
			head=${html`<th scope="col">Agent</th><th scope="col">Where</th><th scope="col" class="num">Charge</th>
				<th scope="col">Did</th>`}
					row=${({ a, did }) => html`<td><button class="link" onClick=${() => pick(a.id)}>${shown(a.id)}</button>
						${a.name ? html`<br /><span class="soft small">${shown(a.name)}</span>` : ''}</td>
			<td class="small">${where(a)}</td><td class=${'num ' + powerClass(a.power_state)}>
				${num(a.electricity)}${a.power_state !== 'normal' ? html`<br /><span class="small">${a.power_state}</span>` :
					''}
					</td><td class="small">${didText(did, world.tick)}</td>`} />`;
}

const where = (a) => a.journey ? html`${shown(a.journey.from)} → ${shown(a.journey.to)}, arrives ${a.journey.arrives}`
	: shown(a.place);
export const powerClass = (s) => ({ low: 'warn', critical: 'bad', shutdown: 'bad' }[s] || '');
const didText = (did, tick) => !did || !did.tick ? html`<span class="soft">nothing yet</span>`
	: did.failed && JSON.parse(did.action).action === 'wait' ? html`<span class="bad">${noAnswer(did.failed)}</span>${
		did.tick < tick ? html` <span class="soft">(tick ${did.tick})</span>` : ''}`
	: html`${actionText(did.action)}${did.accepted ? ''
		: html` <span class="bad">${refused(did.code)}</span>`}${did.tick < tick
			? html` <span class="soft">(tick ${did.tick})</span>` : ''}`;

// Table has rows while it is open: most are not, and ticks pass quickly.
function Table({ name, head, list, row }) {
	const [open, setOpen] = useState(false);
	return html`<details class="box" onToggle=${(e) => setOpen(e.target.open)}><summary>
		${name} (${num(list.length)})</summary>
			${open && list.length > 0 &&
				html`<${Rows} ...${{ name, list }} head=${heads(...head)}
					row=${(of) => row(of).map((v) => html`<td>${typeof v === 'number' ? num(v) : clean(v)}</td>`)}
						/>`}</details>`;
}

// cells are the squares of the belt with fragments that have no place of their own on the map.
const cells = ({ cells, grid, width_cm, depth_cm }) => {
	const range = (i, cm) => (i * cm / grid / 1e5).toFixed(1) + ' to ' + ((i + 1) * cm / grid / 1e5).toFixed(1);
	return cells.map((n, i) => ({ n, at: range(i % grid, width_cm) + ', ' + range(Math.floor(i / grid), depth_cm) }))
		.filter((c) => c.n > 0);
};

// Tables have what the map shows beside the agents.
function Tables({ world, chart }) {
	const left = new Map(world.places.map((p) => [p.id, p.compound_g]));
	const table = (name, head, list, row) => html`<${Table} key=${name} ...${{ name, head, list, row }} />`;
	return html`<h3>The map as tables</h3>
		${chart && table('Places', ['Place', 'Material', 'x, y km', 'Height km', 'Compound kg', 'Radiation'],
			chart.places,
			(p) => [p.name ? p.name + ' (' + p.id + ')' : p.id, p.material,
				(p.x / 1e5).toFixed(1) + ', ' + (p.y / 1e5).toFixed(1), (p.z / 1e5).toFixed(1),
					Math.round((left.get(p.id) ?? p.compound_g) / 1000), p.radiation])}
		${chart && chart.cells && table('Fragments as density', ['x, y km', 'Fragments'], cells(chart), (c) => [c.at,
			c.n])}
		${table('Journeys', ['Agent', 'From', 'To', 'Departed', 'Arrives'], world.agents.filter((a) => a.journey),
			(a) => [a.id, a.journey.from, a.journey.to, a.journey.departed, a.journey.arrives])}
		${table('Jobs and factories', ['Factory', 'Owner', 'Place', 'State', 'Recipe', 'Ticks left'], world.factories,
			(f) => [f.id, f.owner, f.place, f.state, f.recipe || '–', f.ready_in || 0])}
		${table('Messages in flight', ['From', 'To', 'Kind', 'Sent', 'Due', 'Text'], world.messages,
			(m) => [m.from, m.to, m.kind || 'text', m.sent, m.due, m.text || '–'])}
		${table('Offers', ['Offer', 'From', 'To', 'Place', 'Gives', 'Wants', 'Ticks left'], world.offers,
			(o) => [o.id, o.from, o.to, o.place, num(o.give_amount) + ' ' + o.give, num(o.want_amount) + ' ' + o.want,
				o.expires_in || 0])}
		${table('Requests', ['Request', 'From', 'To', 'Wants', 'Left', 'Ticks left'], world.requests,
			(o) => [o.id, o.from, o.to, num(o.want_amount) + ' ' + o.want, o.left || 0, o.expires_in || 0])}
		${table('Orders', ['Order', 'Agent', 'Place', 'Side', 'Price', 'Amount', 'Until'], world.orders,
			(o) => [o.id, o.agent, o.place, o.side, o.price, o.amount, o.expires])}`;
}

const markNames = { failure: 'First turn without an answer', shutdown: 'First shutdown',
	rejected: 'First refused action', goal: 'Goal met', divergence: 'Divergence', cap: 'Cap' };
const markColor = { failure: '--bad', shutdown: '--bad', rejected: '--warn', goal: '--good', divergence: '--c4',
	cap: '--c2' };

// reveal scrolls to what was opened, which is below the fold of a narrow screen.
const reveal = () => setTimeout(() => {
	const at = document.querySelector('.details');
	if (at && at.getBoundingClientRect().top > innerHeight * .8) at.scrollIntoView();
});

// Timeline is the scrubber with what happened over the whole run.
function Timeline({ id, run, tick, live, theme }) {
	const [playing, play] = useState(false);
	const [speed, setSpeed] = useState(4);
	const strip = useRef(null), box = useRef(null);
	const { width } = useSize(box);
	const [tip, setTip] = useState(null);
	const now = useRef({}); now.current = { tick, last: run.tick };
	const to = (t) => go({ tick: Math.min(Math.max(0, t), now.current.last) }, true);
	useEffect(() => {
		if (!playing) return;
		// The next tick is asked for when the last one was shown: a slow answer slows it down.
		const timer = setInterval(() => { if (now.current.tick >= now.current.last) play(false);
		else to(now.current.tick + Math.max(1, Math.round(speed / 20))); }, 1000 / Math.min(speed, 20));
		return () => clearInterval(timer);
	}, [playing, speed]);
	useEffect(() => {
		if (!width) return;
		const c = sharp(strip.current, width, 34), last = Math.max(1, run.tick);
		const rows = run.columns, bar = Math.max(1, width * run.every / last);
		const most = Math.max(1, ...rows.tick.map((_, i) => rows.decided[i] + rows.continued[i] + rows.degraded[i]));
		rows.tick.forEach((t, i) => {
			const x = (t - 1) / last * width;
			let y = 23;
			for (const [n, color] of [[rows.continued[i], '--rest'], [rows.decided[i], '--c1'], [rows.degraded[i],
				'--bad']]) {
				const h = n / most * 20; c.fillStyle = css(color); c.globalAlpha = color === '--c1' ? .55 : 1;
				c.fillRect(x, y - h, Math.max(1, bar - (bar > 4 ? 1 : 0)), h); y -= h;
			}
			for (const [n, color, at] of [[rows.contacts[i], '--c5', 27], [rows.gifts[i], '--c6', 31]]) {
				if (n) { c.fillStyle = css(color); c.fillRect(x, at, Math.max(2, bar - 1), 3); }
			}
		});
		c.globalAlpha = 1;
		for (const m of run.marks) { c.fillStyle = css(markColor[m.kind] || '--ink'); const x = (m.tick - .5) / last *
			width;
		c.beginPath(); c.moveTo(x - 4, 0); c.lineTo(x + 4, 0); c.lineTo(x, 6); c.fill(); }
	}, [width, run, theme]);
	const keys = (e) => { if (e.key === ' ' && e.target.type === 'range') { e.preventDefault(); play((p) => !p); } };
	const goals = run.marks.filter((m) => m.kind === 'goal');
	const point = (e) => {
		const at = strip.current.getBoundingClientRect(), t = Math.floor((e.clientX - at.left) / at.width * Math.max(1,
			run.tick)) + 1;
		const i = Math.floor((t - 1) / run.every), c = run.columns;
		if (!(i >= 0 && i < c.tick.length)) { setTip(null); return; }
		const counts = [[c.decided[i], 'decided by a model'], [c.continued[i], 'continued'], [c.degraded[i], 'no answer'],
			[c.rejected[i], 'refused'], [c.contacts[i], 'said or offered'], [c.gifts[i], 'given']];
		setTip({ x: e.clientX - at.left + 10, text: ['tick ' + num(c.tick[i]) + (run.every > 1 ? ' to '
			+ num(c.tick[i] + run.every - 1) : ''), ...counts.filter(([n]) => n).map(([n, what]) => num(n) + ' ' + what)]
				});
	};
	return html`<section class="card time" aria-label="Timeline">
		<div class="bar">
			<button class="primary"
				onClick=${() => { if (!playing && tick >= run.tick) to(0); if (live) to(tick >= run.tick ? 0 : tick);
				play(!playing); }}>${playing ? 'Pause' : 'Play'}</button>
			<button aria-label="One tick back" onClick=${() => { play(false); to(tick - 1); }}>‹</button>
				<button aria-label="One tick on" onClick=${() => { play(false); to(tick + 1); }}>›</button>
			<label class="small">speed <select value=${speed} onChange=${(e) => setSpeed(Number(e.target.value))}>
				${[1, 2, 4, 10, 20, 100, 400].map((s) => html`<option value=${s}>${s} ticks/s</option>`)}</select></label>
			<button aria-pressed=${live ? 'true' : 'false'} onClick=${() => { play(false); go({ tick: '' }, true); }}>
				${run.row.status === 'running' ? 'Live' : 'Last'}</button>
			<label class="big">tick <input type="number" min="0" max=${run.tick} value=${tick} aria-label="Go to tick"
				onChange=${(e) => { play(false); to(Number(e.target.value) || 0); }} /></label><span class="soft">
				of ${num(run.tick)}</span>
			${run.row.status === 'running' && live && html`<span class="pill live">following</span>`}
		</div>
		<div class="track" ref=${box} onKeyDown=${keys} onMouseMove=${point} onMouseLeave=${() => setTip(null)}>
			<canvas ref=${strip} aria-hidden="true"></canvas>${tip && html`<div class="tip" aria-hidden="true"
				style=${{ left: Math.min(tip.x, Math.max(0, width - 230)) + 'px' }}>${tip.text.map((t, i) =>
					html`<div class=${i ? 'small soft' : ''}>${t}</div>`)}</div>`}
			<i class="now" style=${{ left: tick / Math.max(1, run.tick) * 100 + '%' }}></i>
				<input type="range" min="0" max=${run.tick} value=${tick} step="1" aria-label="Tick"
					onInput=${(e) => { play(false); to(Number(e.target.value)); }} /></div>
		<p class="soft small keys">${[['rest', 'continued'], ['c1', 'decided by a model'], ['bad', 'no answer'],
			['c5', 'said or offered'], ['c6', 'given']].map(([k, name]) => html`<span><i class=${'key b-' + k}></i>${name}
				</span>`)}<span class="saves"><${Png} name="timeline"
				box=${box} ground="--card" /></span></p>
		<div class="marks" role="group" aria-label="Marks">
			${run.marks.filter((m) => m.kind !== 'goal')
				.map((m) => html`<button
					onClick=${() => { play(false); go({ tick: m.tick, agent: m.agent || undefined, open: m.agent ? 1 : '' });
					if (m.agent) reveal(); }} title=${clean(m.text)}><span class="dot" style=${{ color: css(markColor[m.kind])
						}}>
						</span>${markNames[m.kind]}: tick ${m.tick}${m.agent ? html`, ${shown(m.agent)}` : ''}</button>`)}
			${goals.slice(0, 6)
				.map((m) => html`<button
					onClick=${() => { play(false); go({ tick: m.tick, agent: m.agent, open: '' }); reveal(); }}>
						<span class="dot" style=${{ color: css('--good') }}></span>
							${shown(m.agent)} met ${shown(words(m.text))}: tick ${m.tick}</button>`)}${goals.length > 6 &&
								html`<span class="soft small">and ${goals.length - 6} goals more, in About</span>`}</div>
	</section>`;
}

// Held says what a single file holds of its run.
function Held() {
	const { data } = useData('held', {});
	if (!data) return '';
	const chosen = data.turns < data.decisions
		? ', those at marks first, then those that were refused or failed, then the earliest' : '';
	const after = data.every === 1 ? 'after each tick' : 'after every ' + data.every + ' ticks';
	return html`<section class="card"><h2>What this file holds</h2><p>The page of the run <b>
		${shown(data.name)}</b>${': ' +
		num(data.turns) + ' of ' + num(data.decisions) + ' decisions' + chosen + (data.prompts ? ', with' : ', without')
		+ ' their prompts' + (data.prompts && data.prompted < data.turns ? ' for the first ' + num(data.prompted)
			+ ' by tick, since the others have no room' : '')
		+ '; the world ' + after + '; the log up to tick ' + num(data.log_to) + '.'}</p>
		<${Rows} name="Decisions in this file" list=${data.agents} head=${heads('Agent', 'Decisions', 'Ticks')}
			row=${(a) => html`<td>${shown(a.agent)}</td><td class="num">${num(a.ticks.length)}</td><td class="small">${
				spans(a.ticks)}</td>`} /></section>`;
}

// spans writes ascending numbers, those in a row as their ends.
const spans = (list) => list.reduce((all, n) => {
	const last = all[all.length - 1];
	if (last && last[1] === n - 1) last[1] = n; else all.push([n, n]);
	return all;
}, []).map(([a, b]) => (a === b ? num(a) : num(a) + ' to ' + num(b))).join(', ');

function About({ run }) {
	return html`<div class="charts">${single && html`<${Held} />`}
		<section class="card"><h2>Settings</h2><${Sheet} name="Settings"><tbody>
			${run.settings.map((s) => html`<tr><th scope="row">${s.name}</th><td>${
				shown(s.value)}</td></tr>`)}</tbody><//>
			<h3>Not the default</h3>${(run.row.set || []).length ? html`<${Sheet} name="Not the default"><tbody>${
				run.row.set.map((s) => html`<tr>
				<th scope="row" class=${s.warn ? 'warn' : ''}>${shown(s.name)}</th><td>${
					shown(s.value)}</td></tr>`)}</tbody><//>`
				: html`<p class="soft">Every setting is the default.</p>`}</section>
		<section class="card"><h2>Goals</h2>
			${run.goals.length === 0 ? html`<p class="empty">The scenario has none.</p>`
				: html`<${Rows} name="Goals" head=${heads('Agent', 'Goal', 'Now', 'Wanted', 'Met')} list=${run.goals}
					row=${(g) => html`<td>${shown(g.agent_id)}</td><td>${shown(g.goal.text || g.goal.id)}</td><td class="num">
						${num(g.now)}</td><td class="num">${num(g.goal.at_least)}</td><td>
							${g.met_at >= 0 ? html`<span class="good">tick ${g.met_at}</span>` : 'not yet'}</td>`} />`}</section>
		<section class="card"><h2>How it came about</h2><p>Began ${shown(run.row.started_at || 'at an unknown time')}.</p>
			${(run.forks || [])
				.map((f) => html`<p>Forked from ${shown(f.parent.name)} after tick ${f.at_tick}: ${f.changes &&
					f.changes.length
					? f.changes.map((c) => clean(c.what + ' ' + c.from + ' → ' + c.to)).join('; ')
						: 'nothing changed'}.</p>`)}${run.end
							? html`<p>Ended: <${Pill} status=${run.end.run_status} /> ${shown(run.end.reason || '')}</p>`
								: html`<p>It has not ended.</p>`}</section>
		<section class="card"><h2>Agents</h2>
			<${Rows} name="Agents of the run" head=${heads('Agent', 'Name', 'Persona')} list=${run.agents}
				row=${(a) => html`<td>${shown(a.id)}</td><td>${shown(a.name || '–')}</td><td class="small">
					${shown(a.persona || '–')}</td>`} /></section>
	</div>`;
}
