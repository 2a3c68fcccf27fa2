// Two runs, or two sides of several, against each other.
import { html, useEffect, useState, useData, useVersion, href, num, count, clean, shown, words, Rows, Pick, heads, Note,
	Pill, Waiting } from './lib.js';

export function Compare({ q }) {
	const a = q.getAll('a'), b = q.getAll('b');
	const list = useData('runs', {}, useVersion('*'));
	const asked = a.length > 0 && b.length > 0;
	const of = useData('compare', asked ? { a, b } : null);
	useEffect(() => { document.title = 'Compare · Agent World'; }, []);
	const runs = (list.data || list.old || { runs: [] }).runs;
	const [one, setOne] = useState({ a: a[0] || '', b: b[0] || '' });
	const choose = (side) => html`<label>
		${side.toUpperCase()} <${Pick} ids=${runs.map((r) => r.id)} none="choose a run" value=${one[side]}
			set=${(id) => setOne({ ...one, [side]: id })} /></label>`;
	return html`<h1>Compare</h1>
		<section class="card"><div class="filters">
			${choose('a')} ${choose('b')} ${one.a && one.b ? html`<a href=${href('/compare', one)}>Compare</a>`
				: html`<span class="soft small">Choose two runs here, or mark several in the list of runs.</span>`}</div>
		${asked && html`<p class="small soft">A: ${a.map(clean).join(', ')}<br />B: ${b.map(clean).join(', ')}</p>`}</section>
		${asked && (!of.data ? html`<${Waiting} of=${of} what="Comparing…" />` : of.data.pair
			? html`<${Pair} c=${of.data.pair} a=${a[0]} b=${b[0]} />`
				: html`<${Verdicts} s=${of.data.summary} />
					<${Pairs} list=${of.data.pairs || []} own=${of.data.summary.own_metrics} />
					<${Out} list=${of.data.out || []} />`)}`;
}

const pairMetrics = ['score', 'goals_met', 'calls', 'tokens', 'degraded_share'];

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

function Pair({ c, a, b }) {
	const rows = (c.metrics || []).filter((m) => m.a !== null && m.b !== null);
	const ticks = c.ticks || [];
	return html`<section class="card"><h2>Where they diverge</h2>
		${c.first_decision_tick
			? html`<p>First in <b>tick ${num(c.first_decision_tick)}
				</b>: <a href=${href('/run', { id: a, tick: c.first_decision_tick })}>look at A</a>, <a
					href=${href('/run', { id: b, tick: c.first_decision_tick })}>look at B</a>.</p>`
						: html`<p>The decisions are the same in all ticks that both have.</p>`}
		${ticks.length > 0 &&
			html`<details><summary>Decisions that differ</summary>
				<${Rows} name="Decisions that differ"
					list=${ticks.flatMap((t) => (t.decisions || []).map((d) => ({ tick: t.tick, ...d })))}
						head=${heads('Tick', 'Agent', 'A', 'B')}
							row=${(d) => html`<td>${d.tick}</td><td>${shown(d.agent_id)}</td><td>${shown(text(d.a))}</td><td>
								${shown(text(d.b))}</td>`} /></details>`}</section>
		<section class="card"><h2>Metrics</h2>
			<p class="soft small">One pair of runs is too few for a verdict; mark six or more on each side in the list of
				runs.</p><div class="wide" tabindex="0" role="region" aria-label="Metrics"><table><thead><tr>
					<th scope="col">Metric</th><th scope="col" class="num">A</th><th scope="col" class="num">B</th>
						<th scope="col" class="num">Difference</th></tr></thead><tbody>
							${rows.map((m) => html`<tr><td>${words(m.metric)}</td><td class="num">${num(m.a)}</td><td class="num">${num(m.b)}
								</td><td class="num">${num(m.b - m.a)}</td></tr>`)}</tbody></table></div></section>`;
}

const text = (v) => (typeof v === 'string' ? v : JSON.stringify(v ?? null));
const n3 = (x) => (x === null || x === undefined ? '–'
	: Number(x).toLocaleString('en-US', { maximumSignificantDigits: 4 }));

// Verdicts are the comparisons of a summary.
export function Verdicts({ s }) {
	if (!s.comparisons.length) return html`<${Note}>There is nothing to compare.<//>`;
	return s.comparisons.map((c) => html`<section class="card" key=${c.arm + ' ' + c.baseline}><h2>
		${shown(c.arm)} against ${shown(c.baseline)}</h2>
		<p class="soft small">
			${count(c.pairs, 'pair')}${c.open ? ', ' + c.open + ' open' : ''}${c.failed ? ', ' + c.failed + ' failed'
				: ''}. ${(c.notes || []).map(clean).join(' ')}</p>${c.why && html`<${Note}>No verdict: ${shown(c.why)}<//>`}
		${c.metrics && c.metrics.length > 0 &&
			html`<div class="wide" tabindex="0" role="region" aria-label="Verdicts"><table><thead><tr><th scope="col">Metric</th>
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
														</tbody></table></div>`}</section>`).concat(s.methods
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
