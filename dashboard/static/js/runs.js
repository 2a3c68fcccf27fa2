// The list of runs and batches.
import { html, useState, useData, useVersion, useEffect, useRoute, go, href, num, span, money, clean, shown, words,
	Rows,
	Pill,
	Set_, Waiting, sortable, failedClass } from './lib.js';

const sideMax = 200; // runs on each side of a comparison

const labels = (r) => (r.labels || []).map((l) => l.axis + '=' + l.value);
const ended = (r) => !['running', 'unfinished', 'not_begun'].includes(r.status);
// failed says that a run is no success: it did not complete, or too many of its turns ended without an answer.
const failed = (r) => !['completed', 'running', 'not_begun'].includes(r.status) || (r.counted && r.failed_pct > 0 &&
	r.failed_pct >= r.max_failed_pct);
const share = (r) => (r.score !== undefined && r.best > 0 ? 100 * r.score / r.best : null);
const mean = (list) => (list.length ? list.reduce((a, b) => a + b, 0) / list.length : null);
const percent = (n) => (n === null ? '–' : n.toFixed(0) + '%');

// batchRow is a batch in the list, made of the runs of its cells.
function batchRow(id, runs) {
	const of = runs.filter((r) => r.batch === id), counted = of.filter((r) => r.counted);
	return { id, batch: true, runs: of, started_at: of.map((r) => r.started_at).sort()[0] || '',
		failed: of.filter((r) => ended(r) && r.status !== 'completed').length,
		open: of.filter((r) => !ended(r)).length, failed_pct: mean(counted.map((r) => r.failed_pct)),
		best: mean(of.map(share).filter((n) => n !== null)), calls: counted.reduce((n, r) => n + r.calls, 0),
		cost_micros: counted.reduce((n, r) => n + r.cost_micros, 0), currency: (counted[0] || {}).currency || '',
		scenarios: [...new Set(of.map((r) => r.scenario))], models: [...new Set(of.map((r) => r.model))] };
}

const columns = [
	['Run', (r) => r.id], ['Status', (r) => r.status || ''], ['Score', (r) => -(r.score ?? -1), 'num'],
	['Of best known', (r) => -((r.batch === true ? r.best : share(r)) ?? -1), 'num'],
	['Failed turns', (r) => -(r.failed_pct || 0), 'num'], ['Goals', (r) => -(r.goals_met || 0), 'num'],
	['Cost', (r) => -(r.cost_micros || 0), 'num'], ['Scenario', (r) => r.scenario || ''], ['Model', (r) => r.model || ''],
	['Seed', (r) => r.seed || '', 'num'], ['Ticks', (r) => -(r.ticks || 0), 'num'],
	['Calls', (r) => -(r.calls || 0), 'num'], ['Started', (r) => r.started_at], ['A'], ['B'],
];
const few = (list) => (list.length > 2 ? num(list.length) + ' of them' : list.map(clean).join(', '));

// BatchCells are those of the row of a batch.
function BatchCells({ b }) {
	return html`<td><a href=${'api/batch?batch=' + encodeURIComponent(b.id)}>${b.id === '.' ? 'this directory' :
		clean(b.id)}
		</a><br /><button class="link small" onClick=${() => go({ batch: b.id })}>${num(b.runs.length)} runs</button></td>
		<td><span class="pill">batch</span>${b.failed ? html` <span class="bad small">${num(b.failed)} failed</span>` : ''}
			${b.open ? html` <span class="small">${num(b.open)} open</span>` : ''}</td><td></td>
		<td class="num">${percent(b.best)}</td>
		<td class=${'num ' + failedClass(b.failed_pct || 0)}>${percent(b.failed_pct)}</td><td></td>
		<td class="num">${money(b.cost_micros, b.currency)}</td><td>${few(b.scenarios)}</td><td>${few(b.models)}</td><td></td>
		<td></td><td class="num">${num(b.calls)}</td><td class="small">${clean(b.started_at.replace('T', ' ').slice(0,
			16))}</td>
		<td></td><td></td>`;
}

// left says how far a run under way is, and how long it takes.
const left = (r) => r.status !== 'running' || !r.ticks_requested ? '' : 'tick ' + num(r.ticks) + ' of '
	+ num(r.ticks_requested) + (r.left_ms >= 0 ? ', about ' + span(r.left_ms) + ' left' : '');

// RunCells are those of the row of a run.
function RunCells({ r, picked, pick }) {
	return html`<td><a href=${href('/run', { id: r.id })}>${r.id === '.' ? 'this run' : clean(r.id)}</a>
			${r.parent ? html`<br /><span class="soft small">fork of ${shown(r.parent)}</span>` : ''}${r.labels
				? html`<br /><span class="small">${labels(r).map((l) => html`<span class="pill">${shown(l)}</span> `)}</span>` : ''}
			${(r.set || []).length ? html`<br /><span class="small"><${Set_} list=${r.set} /></span>` : ''}</td>
		<td><${Pill} status=${r.status} />${r.problem ? html`<br /><span class="bad small">${shown(r.problem)}</span>` :
			''}${left(r) ? html`<br /><span class="soft small">${left(r)}</span>` : ''}</td>
		<td class="num">${r.score === undefined ? '–' : num(r.score)}</td><td class="num">${percent(share(r))}</td>
		<td class=${'num ' + (r.counted ? r.failed_pct > 0 && r.failed_pct >= r.max_failed_pct ? 'bad'
			: failedClass(r.failed_pct) : '')}>${r.counted ? percent(r.failed_pct) : '–'}</td>
		<td class="num">${r.counted ? num(r.goals_met) : '–'}</td>
		<td class="num">${r.counted ? money(r.cost_micros, r.currency) : '–'}</td><td>${shown(r.scenario)}</td>
		<td>${shown(r.model)}${r.model_source === 'scripted' ? html` <span class="soft small">(wiring only)</span>` : ''}</td>
		<td class="num">${r.seed}</td><td class="num">${num(r.ticks)}</td><td class="num">${r.counted ? num(r.calls) :
			'–'}</td>
		<td class="small">${shown(r.started_at.replace('T', ' ').slice(0, 16))}</td>
		${['a', 'b'].map((side) => html`<td><input type="checkbox" checked=${picked[side].includes(r.id)}
			aria-label=${'compare ' + clean(r.id) + ' as ' + side.toUpperCase()} onChange=${() => pick(side, r.id)} /></td>`)}`;
}

export function Runs() {
	const list = useData('runs', {}, useVersion('*')), { q } = useRoute();
	const [picked, setPicked] = useState({ a: [], b: [] });
	useEffect(() => { document.title = 'Runs · Agent World'; }, []);
	const data = list.data || list.old;
	const names = ['text', 'status', 'scenario', 'model', 'label', 'batch'];
	const filter = Object.fromEntries(names.map((n) => [n, q.get(n) || '']));
	const rows = data ? data.runs.filter((r) => (!filter.status || r.status === filter.status || (filter.status ===
		'failed' && failed(r))) &&
		(!filter.scenario || r.scenario === filter.scenario) && (!filter.model || r.model === filter.model) &&
			(!filter.label || labels(r).includes(filter.label)) && (!filter.batch || r.batch === filter.batch) &&
		(!filter.text || [r.id, r.scenario, r.model, r.seed, ...labels(r), ...(r.set || []).map((s) => s.name + ' ' +
			s.value)]
			.join(' ').toLowerCase().includes(filter.text.toLowerCase()))) : [];
	const whole = data && names.every((n) => !filter[n]); // a batch is one row then
	const entries = whole ? [...rows.filter((r) => !r.batch), ...data.batches.map((id) => batchRow(id, data.runs))]
		.sort((a, b) => (a.started_at < b.started_at ? 1 : -1)) : rows;
	const { head, list: shownRows } = sortable(entries, columns, 'runs');
	if (!data) return html`<h1>Runs</h1><${Waiting} of=${list} />`;
	const values = (of) => [...new Set(data.runs.flatMap(of))].filter(Boolean).sort();
	const choose = (name, of) => html`<label>
		${name} <select value=${filter[name]} onChange=${(e) => go({ [name]: e.target.value }, true)}>
		<option value="">all</option>${values(of).map((v) => html`<option value=${v}>${
			words(v)}</option>`)}</select></label>`;
	const all = (side) => setPicked((p) => ({ ...p, [side]: rows.slice(0, sideMax).map((r) => r.id) }));
	const pick = (side, id) =>
		setPicked((p) => ({ ...p, [side]: p[side].includes(id) ? p[side].filter((x) => x !== id) : [...p[side], id] }));
	const many = rows.length > sideMax ? 'First ' + sideMax : 'All shown';
	const ready = picked.a.length > 0 && picked.b.length > 0;
	const bad = data.runs.filter(failed).length;
	return html`
		<div class="bar spread"><h1>Runs</h1><span class="soft small">${num(data.runs.length)} runs${data.batches.length
			? ', ' + num(data.batches.length) + ' batches' : ''}${bad ? html`, <button class="link bad" onClick=${() => go({
				status: 'failed' })}>${num(bad)} failed</button>` : ''}</span></div>
		<section class="card">
			<div class="filters" role="group" aria-label="Filters">
				<label>find <input type="search" value=${filter.text} onInput=${(e) => go({ text: e.target.value }, true)}
					/></label>
				${choose('status', (r) => [r.status, failed(r) && 'failed'])}
				${choose('scenario', (r) => r.scenario)} ${choose('model',
					(r) => r.model)} ${data.runs.some((r) => r.labels) && choose('label', labels)}
				${filter.batch && html`<span>of batch ${shown(filter.batch)} <button onClick=${() => go({ batch: '' })}>All runs
					</button></span>`}
				<span class="bar"><button onClick=${() => all('a')}>${many} as A</button><button onClick=${() => all('b')}>
					${many} as B</button><button onClick=${() => setPicked({ a: [], b: [] })}>None</button></span>
				<a class=${ready ? '' : 'soft'}
					href=${href('/compare', picked)}>Compare A (${picked.a.length}) with B (${picked.b.length})</a>
			</div>
			${entries.length === 0
				? html`<p class="empty">
					${data.runs.length ? 'No run fits the filters.' : 'There is no run here yet. Start one, and it appears by itself.'}
						</p>` : html`<${Rows} name="Runs" kind="wide" list=${shownRows} head=${head}
							row=${(r) => (r.batch === true ? html`<${BatchCells} b=${r} />`
								: html`<${RunCells} ...${{ r, picked, pick }} />`)} />`}
		</section>`;
}
