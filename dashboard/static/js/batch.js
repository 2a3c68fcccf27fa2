// A batch, live: its cells, results, verdicts and gates.
import { html, useEffect, useState, useData, useVersion, href, num, money, clean, shown, words, Rows, Pill, Note,
	Waiting } from './lib.js';
import { Verdicts } from './compare.js';

export function Batch({ q }) {
	const id = q.get('id') || '.';
	const of = useData('batch', { batch: id }, useVersion('*'));
	const b = of.data || of.old;
	const [state, setState] = useState('');
	useEffect(() => { document.title = 'Batch · Agent World'; }, []);
	if (!b) return html`<h1>Batch</h1><${Waiting} of=${of} />`;
	const s = b.status, all = s.cells.length, sum = b.summary;
	const results = new Map(sum ? sum.results.map((r) => [r.cell, r]) : []);
	const rows = s.cells.filter((c) => !state || c.state === state);
	return html`<div class="bar spread"><h1>Batch ${shown(s.name)}</h1>
		${sum && sum.gates.length > 0 && html`<span>Gates: <${Pill} status=${sum.verdict} /></span>`}</div>
		<section class="card"><progress max=${all} value=${s.done} aria-label="cells done"></progress>
		<dl class="stats">
			${[['Done', num(s.done) + ' of ' + num(all)], ['Playing', num(s.playing)], ['Waiting', num(s.waiting)],
				['Stale', num(s.stale)], ['Failed', num(s.failed)], ['Without score', num(s.unscored)], ['Calls', num(s.calls)],
					['Tokens', num(s.tokens)],
						['Cost', money(s.cost_micros, s.currency)]].map(([k, v]) => html`<div><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>
							</section>
		${b.problem && html`<${Note}>${shown(b.problem)}<//>`}
		${sum && sum.scripted &&
			html`<${Note}>The embedded model answered in some run: evidence about the wiring, none about a model.<//>`}
		${sum && sum.gates.length > 0 &&
			html`<section class="card"><h2>Gates</h2><table><thead><tr><th scope="col">Gate</th><th scope="col">Verdict</th>
				<th scope="col">Why</th></tr></thead><tbody>
					${sum.gates.map((g) => html`<tr><td>${shown(g.gate)}</td><td><${Pill} status=${g.verdict} /></td><td>
						${shown(g.why)}</td></tr>`)}</tbody></table></section>`}
		${sum && sum.comparisons.length > 0 && html`<${Verdicts} s=${sum} />`}
		${sum && sum.arms.length > 0 && html`<${Arms} arms=${sum.arms} />`}
		<section class="card"><div class="bar spread"><h2>Cells</h2>
			<label class="small">state <select value=${state} onChange=${(e) => setState(e.target.value)}>
				<option value="">all</option>
					${['done', 'playing', 'waiting', 'stale', 'failed'].map((v) => html`<option value=${v}>${v}</option>`)}</select>
						</label></div>
		<${Rows} name="Cells" kind="wide" list=${rows}
			head=${html`<th scope="col">Cell</th><th scope="col">State</th><th scope="col">Scenario</th>
				<th scope="col" class="num">Seed</th><th scope="col" class="num">Repeat</th><th scope="col">Labels</th>
					<th scope="col" class="num">Score</th><th scope="col">Reason</th>`}
						row=${(c) => html`<td>
							${b.runs && b.runs[c.cell.cell]
								? html`<a href=${href('/run', { id: b.runs[c.cell.cell] })}>${shown(c.cell.cell)}</a>` : shown(c.cell.cell)}
									</td><td><${Pill} status=${c.state} /></td><td>${shown(c.cell.scenario)}</td><td class="num">${c.cell.seed}
										</td><td class="num">${c.cell.repeat}</td><td>
											${(c.cell.labels || []).map((l) => clean(l.axis + '=' + l.value)).join(' ')}</td><td class="num">
												${score(results.get(c.cell.cell))}</td><td class="small">${shown(c.reason || '')}</td>`} /></section>`;
}

const score = (r) => { const m = r && (r.metrics || {}).score; return m === undefined || m === null ? '–' : num(m); };

function Arms({ arms }) {
	const has = new Set(arms.flatMap((a) => a.metrics.map((m) => m.metric)));
	const names = ['score', 'score_share', 'goals_met', 'degraded_share', 'parse_errors', 'calls', 'tokens',
		'cost'].filter((n) => has.has(n));
	return html`<section class="card"><h2>Means over cells</h2>
		<div class="wide" tabindex="0" role="region" aria-label="Arms"><table><thead><tr><th scope="col">Arm</th>
			<th scope="col" class="num">Cells</th><th scope="col" class="num">Scored</th>
				${names.map((n) => html`<th scope="col" class="num">${words(n)}</th>`)}</tr></thead>
		<tbody>${arms.map((a) => html`<tr><td>${shown(a.arm)}</td><td class="num">${a.cells}</td><td class="num">${a.scored}
			</td>${names.map((n) => { const m = a.metrics.find((m) => m.metric === n);
			return html`<td class="num">
				${m ? Number(m.mean).toLocaleString('en-US', { maximumSignificantDigits: 4 }) : '–'}${m && m.n > 1
					? html`<span class="soft small"> ±${Number(m.sd).toLocaleString('en-US', { maximumSignificantDigits: 2 })}</span>`
						: ''}</td>`; })}</tr>`)}</tbody></table></div></section>`;
}
