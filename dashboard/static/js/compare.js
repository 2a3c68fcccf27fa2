// Two runs, or two sides of several, against each other.
import { html, useEffect, useState, useData, useVersion, href, num, count, clean, shown, words,
	noAnswer, refused, actionText, Rows, Pick, heads, Note,
	Sheet, Svg, Pill, single, Waiting } from './lib.js';

export function Compare({ q }) {
	const list = useData('runs', single ? null : {}, useVersion('*'));
	const asked = Boolean(single) || (q.getAll('a').length > 0 && q.getAll('b').length > 0);
	const of = useData('compare', !asked ? null : single ? {} : { a: q.getAll('a'), b: q.getAll('b') });
	const { a, b } = (single && of.data) || { a: q.getAll('a'), b: q.getAll('b') };
	const side = (ids) => (ids.length === 1 ? clean(ids[0]) : num(ids.length) + ' runs');
	const title = asked && a.length ? side(a) + ' against ' + side(b) : 'Compare';
	useEffect(() => { document.title = title + ' · Agent World'; }, [title]);
	const runs = (list.data || list.old || { runs: [] }).runs;
	const [one, setOne] = useState({ a: a[0] || '', b: b[0] || '' });
	const choose = (side) => html`<label>
		${side.toUpperCase()} <${Pick} ids=${runs.map((r) => r.id)} none="choose a run" value=${one[side]}
			set=${(id) => setOne({ ...one, [side]: id })} /></label>`;
	return html`<h1>Compare</h1>
		<section class="card">${!single && html`<div class="filters">
			${choose('a')} ${choose('b')} ${one.a && one.b ? html`<a href=${href('/compare', one)}>Compare</a>`
				: html`<span class="soft small">Choose two runs here, or mark several in the list of runs.</span>`}</div>`}
		${asked && html`<p class="small soft">A: ${a.map(clean).join(', ')}<br />B: ${b.map(clean).join(', ')}</p>`}</section>
		${asked && (!of.data ? html`<${Waiting} of=${of} what="Comparing…" />` : of.data.pair
			? html`<${Pair} of=${of.data} a=${a[0]} b=${b[0]} />`
				: html`<${Verdicts} s=${of.data.summary} />
					${Object.entries(of.data.plots || {}).map(([name, drawn]) => html`<p class="small">${
						name + ' as a picture: '}<${Svg} ...${{ name, drawn }} /></p>`)}
					<${Pairs} list=${of.data.pairs || []} own=${of.data.summary.own_metrics} />
					<${Out} list=${of.data.out || []} />`)}`;
}

const pairMetrics = ['score', 'goals_met', 'calls', 'tokens', 'degraded_share'];

// exact is a number as it is, a fraction in four digits.
const exact = (x) => (Number.isInteger(x) ? num(x) : n3(x));

// Pairs are the runs of each instance, A beside B.
function Pairs({ list, own }) {
	if (!list.length) return html`<${Note}>No run of A has the scenario and seed of a run of B.<//>`;
	const has = [...pairMetrics, ...own.map((m) => m.name)].filter(
		(m) => list.some((p) => p.metrics.some((of) => of && of[m] !== undefined)));
	const of = (p, m) => p.metrics.map((v) => n3((v || {})[m])).join(' / ');
	return html`<section class="card"><h2>Pairs</h2>
		<${Rows} name="Pairs" kind="wide" list=${list}
			head=${html`<th scope="col">Scenario and seed</th><th scope="col">A</th><th scope="col">B</th>
				${has.map((m) => html`<th scope="col" class="num">${words(m)}, A / B</th>`)}
					<th scope="col">Where they diverge</th>`}
						row=${(p) => html`<td>${shown(p.instance)}</td>
							${[p.a, p.b].map((id) => html`<td><a href=${href('/run', { id })}>${shown(id)}</a></td>`)}${has.map((m) =>
								html`<td class="num">${of(p, m)}</td>`)}<td>
									<a href=${href('/compare', { a: p.a, b: p.b })}
										aria-label=${'compare ' + clean(p.a) + ' with ' + clean(p.b)}>compare</a></td>`} /></section>`;
}

// Out are the runs that no verdict counts.
function Out({ list }) {
	if (!list.length) return '';
	return html`<section class="card"><h2>Runs that do not count</h2>
		<${Rows} name="Runs that do not count" kind="wide" list=${list} head=${heads('Side', 'Run', 'Why')}
			row=${(r) => html`<td>${r.side}</td><td><a href=${href('/run', { id: r.id })}>${shown(r.id)}</a></td><td>
				${shown(r.why)}</td>`} /></section>`;
}

// setting is the value of one in words, lists without brackets.
function setting(value) {
	try { const list = JSON.parse(value); if (Array.isArray(list)) return list.join(', '); } catch { /* a text */ }
	return value || 'not set';
}

// Differ is a table of what two runs were set to.
const Differ = ({ name, list }) => html`<${Rows} name=${name} kind="wide" list=${list} head=${heads('Setting', 'A',
	'B')}
	row=${(d) => html`<td>${shown(words(d.name))}</td><td>${shown(setting(d.a))}</td><td>${
		shown(setting(d.b))}</td>`} />`;

const waited = (of) => of.failed && of.executed && of.executed.action === 'wait';

// Parted is what an agent did in one of two runs that part.
function Parted({ side, id, of, at }) {
	const to = href('/run', { id, tick: at.tick, agent: at.agent, open: 1 });
	const o = (of && of.outcome) || {};
	return html`<div class="step"><p><b>${side}</b>: ${single ? shown(id) : html`<a href=${to}>${shown(id)}</a>`}</p>${!of
		? html`<p class="soft">decided nothing in this tick</p>` : html`
		${of.failed && html`<p class="bad">${noAnswer(of.failed)}</p>`}
		<p class="big">${waited(of) ? '' : actionText(of.executed)}</p>
		<p>${waited(of) ? 'The engine had it wait.' : o.accepted ? html`<span class="good">accepted</span>` : o.rejection ?
			html`<span class="bad">
			${refused(o.rejection.code)}</span>` : ''}</p>
		${of.why ? html`<blockquote class="step">${shown(of.why)}</blockquote>` : html`<p class="soft">It gave no
			reason.</p>`}`}
		</div>`;
}

function Pair({ of, a, b }) {
	const c = of.pair, at = of.parts;
	const rows = (c.metrics || []).filter((m) => m.a !== null && m.b !== null
		&& m.b !== undefined).sort((x, y) => (x.a === x.b) - (y.a === y.b));
	const ticks = c.ticks || [], worlds = of.worlds || [], noise = (of.noise || {}).metrics || {};
	const within = (m) => noise[m.metric] !== undefined && Math.abs(m.b - m.a) <= noise[m.metric];
	return html`<section class="card"><h2>What was set differently</h2>
		${worlds.length > 0 && html`<${Note} bad>They were played in other worlds: what follows compares runs that were not
			asked the same.<//><${Differ} name="Other worlds" list=${worlds} />`}
		${(of.set || []).length > 0 ? html`<${Differ} name="Settings that differ" list=${of.set} />`
			: html`<p>Nothing: both have the same settings.</p>`}</section>
		<section class="card"><h2>Where they part</h2>
		${c.first_decision_tick
			? html`<p>First in <b>tick ${num(c.first_decision_tick)}</b>${at ? html`, by <b>${shown(at.agent)}</b>` : ''}.</p>
				${at && html`<div class="turned"><${Parted} side="A" id=${a} of=${at.a} at=${at} />
					<${Parted} side="B" id=${b} of=${at.b} at=${at} /></div>`}`
			: html`<p>The decisions are the same in all ticks that both have.</p>`}
		${ticks.length > 0 &&
			html`<details><summary>Decisions that differ</summary>
				<${Rows} name="Decisions that differ"
					list=${ticks.flatMap((t) => (t.decisions || []).map((d) => ({ tick: t.tick, ...d })))}
						head=${heads('Tick', 'Agent', 'A', 'B')}
							row=${(d) => html`<td>${d.tick}</td><td>${shown(d.agent_id)}</td><td>${d.a ? actionText(d.a) : '–'}</td><td>
								${d.b ? actionText(d.b) : '–'}</td>`} /></details>`}</section>
		<section class="card"><h2>Metrics, those that differ first</h2>
			<p class="soft small">One pair of runs is too few for a verdict; ${single
				? 'directories of runs can be compared for one. ' : 'mark six or more on each side in the list of runs. '}
				${of.noise ? 'The noise is what two runs of the same settings differ by at most in nineteen of twenty cases, as '
					+ 'far as ' + num(of.noise.runs) + (single ? ' runs beside each other show.' : ' runs here show.')
					: 'No other run ' + (single ? 'beside them' : 'here') + ' has the settings of one of them: how much of a '
					+ 'difference is noise nobody knows. The repeats of a batch show it.'}</p><${Sheet} name="Metrics"><thead><tr>
					<th scope="col">Metric</th><th scope="col" class="num">A</th><th scope="col" class="num">B</th>
						<th scope="col" class="num">Difference</th>${
						of.noise && html`<th scope="col" class="num">Noise</th>`}</tr></thead><tbody>
							${rows.map((m) => html`<tr><td>${words(m.metric)}</td><td class="num">${exact(m.a)}</td><td class="num">${
								exact(m.b)}
								</td><td class=${'num' + (within(m) ? ' soft' : '')}>${exact(m.b - m.a)}</td>${of.noise &&
								html`<td class="num">${exact(noise[m.metric])}${m.a === m.b ? '' : within(m) ? html`<br /><span
									class="soft small">within the noise</span>` : html`<br /><span
									class="small">beyond the noise</span>`}</td>`}</tr>`)}</tbody><//></section>`;
}

const n3 = (x) => (x === null || x === undefined ? '–'
	: Number(x).toLocaleString('en-US', { maximumSignificantDigits: 4 }));

// Verdict is a comparison in one sentence.
function Verdict({ c }) {
	const m = (c.metrics || []).find((x) => x.primary), tokens = (c.metrics || []).find((x) => x.metric === 'tokens');
	if (!m || !m.pairs) return '';
	const part = m.baseline_mean ? Math.abs(100 * m.difference / m.baseline_mean) : null;
	const size = part === null ? n3(Math.abs(m.difference)) : n3(part) + '%';
	const p = m.p ? ', p ' + (m.adjusted_p < .001 ? '<0.001' : n3(m.adjusted_p)) : '';
	const cost = tokens && tokens !== m && tokens.baseline_mean ? ', for ' + n3(tokens.arm_mean / tokens.baseline_mean)
		+ ' times the tokens' : '';
	return html`<p class="lead">${m.difference === 0 ? html`${shown(c.arm)} has the same ${words(m.metric)}${' as '}
		${shown(c.baseline)}` : html`${shown(c.arm)} has ${size} ${m.difference > 0 ? 'more' : 'less'} ${words(m.metric)}${
			' than '}
			${shown(c.baseline)}`}${p}${cost}: <b class=${m.outcome === 'better' ? 'good' : m.outcome === 'worse' ? 'bad'
				: ''}>${words(m.outcome)}</b>.</p>`;
}

// Verdicts are the comparisons of a summary.
export function Verdicts({ s }) {
	if (!s.comparisons.length) return html`<${Note}>There is nothing to compare.<//>`;
	return s.comparisons.map((c) => html`<section class="card" key=${c.arm + ' ' + c.baseline}><h2>
		${shown(c.arm)} against ${shown(c.baseline)}</h2>
		<${Verdict} c=${c} />
		<p class="soft small">
			${count(c.pairs, 'pair')}${c.open ? ', ' + c.open + ' open' : ''}${c.failed ? ', ' + c.failed + ' failed'
				: ''}. ${(c.notes || []).map(clean).join(' ')}</p>${c.why && html`<${Note}>No verdict: ${shown(c.why)}<//>`}
		${c.metrics && c.metrics.length > 0 &&
			html`<${Sheet} name=${'Verdicts of ' + clean(c.arm) + ' against ' + clean(c.baseline)}><thead><tr>
				<th scope="col">Metric</th>
				<th scope="col" class="num">${shown(c.arm)}</th><th scope="col" class="num">${shown(c.baseline)}</th>
					<th scope="col" class="num">Difference</th>
						<th scope="col">Interval</th><th scope="col">Verdict</th></tr>
							</thead><tbody>${c.metrics.map((m) => html`<tr key=${m.metric}><td>
								${words(m.metric)}${m.primary ? html` <span class="pill">decides</span>` : ''}</td><td class="num">
									${n3(m.pairs ? m.arm_mean : null)}</td><td class="num">${n3(m.pairs ? m.baseline_mean : null)}</td>
										<td class="num">${n3(m.pairs ? m.difference : null)}</td><td>
											${m.interval ? html`<${Interval} m=${m} />` : '–'}</td><td>
												<b class=${m.outcome === 'better' ? 'good' : m.outcome === 'worse' ? 'bad' : ''}>${words(m.outcome)}</b>
													${m.pairs && m.p ? html` <span class="soft small">p ${
														m.adjusted_p < .001 ? '<0.001' : n3(m.adjusted_p)}</span>` : ''}</td></tr>`)}
														</tbody><//>`}</section>`).concat(s.methods
		? html`<p class="small soft">Methods: ${clean(s.methods)}</p>` : []);
}

function Interval({ m }) {
	const lo = Math.min(m.interval.low, 0, m.difference), hi = Math.max(m.interval.high, 0, m.difference),
		span = hi - lo || 1;
	const at = (v) => 4 + 92 * (v - lo) / span;
	return html`<svg viewBox="0 0 100 10" width="120" height="12" role="img"
		aria-label=${n3(m.interval.low) + ' to ' + n3(m.interval.high)}>
			<line x1=${at(0)} x2=${at(0)} y1="0" y2="10" stroke="currentColor" stroke-width=".7" stroke-dasharray="1.5 1.5" />
				<line x1=${at(m.interval.low)} x2=${at(m.interval.high)} y1="5" y2="5" stroke="var(--c1)" stroke-width="2" />
					<circle cx=${at(m.difference)} cy="5" r="2.6" fill="var(--c1)" /></svg> <span class="small">
						${n3(m.interval.low)} to ${n3(m.interval.high)} (${n3(100 * (1 - m.level))}%)</span>`;
}
