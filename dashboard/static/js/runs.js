// The list of runs and batches.
import { html, useState, useData, useVersion, useEffect, href, num, money, clean, shown, words, Rows, Pill,
	Waiting } from './lib.js';

const sideMax = 200; // runs on each side of a comparison

export function Runs() {
	const version = useVersion('*');
	const list = useData('runs', {}, version);
	const [filter, setFilter] = useState({ text: '', status: '', scenario: '', model: '', label: '' });
	const [picked, setPicked] = useState({ a: [], b: [] });
	useEffect(() => { document.title = 'Runs · Agent World'; }, []);
	const data = list.data || list.old;
	if (!data) return html`<h1>Runs</h1><${Waiting} of=${list} />`;
	const values = (of) => [...new Set(data.runs.flatMap(of))].filter(Boolean).sort();
	const labels = (r) => (r.labels || []).map((l) => l.axis + '=' + l.value);
	const rows = data.runs.filter((r) => (!filter.status || r.status === filter.status) &&
		(!filter.scenario || r.scenario === filter.scenario) && (!filter.model || r.model === filter.model) &&
			(!filter.label || labels(r).includes(filter.label)) &&
		(!filter.text ||
			[r.id, r.scenario, r.model, r.seed, ...labels(r)].join(' ').toLowerCase().includes(filter.text.toLowerCase())));
	const choose = (name, of) => html`<label>
		${name} <select value=${filter[name]} onChange=${(e) => setFilter({ ...filter, [name]: e.target.value })}>
		<option value="">all</option>${values(of).map((v) => html`<option value=${v}>${words(v)}</option>`)}</select>
			</label>`;
	const all = (side) => setPicked((p) => ({ ...p, [side]: rows.slice(0, sideMax).map((r) => r.id) }));
	const pick = (side, id) =>
		setPicked((p) => ({ ...p, [side]: p[side].includes(id) ? p[side].filter((x) => x !== id) : [...p[side], id] }));
	const many = rows.length > sideMax ? 'First ' + sideMax : 'All shown';
	const ready = picked.a.length > 0 && picked.b.length > 0;
	return html`
		<div class="bar spread"><h1>Runs</h1><span class="soft small">
			${num(data.runs.length)} runs${data.batches.length ? ', ' + num(data.batches.length) + ' batches' : ''}</span></div>
		${data.batches.length > 0 &&
			html`<section class="card"><h2>Batches</h2><ul class="plain">
				${data.batches.map((b) => html`<li><a href=${'api/batch?batch=' + encodeURIComponent(b)}>
					${b === '.' ? 'this directory' : clean(b)}</a></li>`)}</ul></section>`}
		<section class="card">
			<div class="filters" role="group" aria-label="Filters">
				<label>find <input type="search" value=${filter.text}
					onInput=${(e) => setFilter({ ...filter, text: e.target.value })} /></label>
				${choose('status', (r) => r.status)} ${choose('scenario', (r) => r.scenario)} ${choose('model',
					(r) => r.model)} ${data.runs.some((r) => r.labels) && choose('label', labels)}
				<span class="bar"><button onClick=${() => all('a')}>${many} as A</button><button onClick=${() => all('b')}>
					${many} as B</button><button onClick=${() => setPicked({ a: [], b: [] })}>None</button></span>
				<a class=${ready ? '' : 'soft'}
					href=${href('/compare', picked)}>Compare A (${picked.a.length}) with B (${picked.b.length})</a>
			</div>
			${rows.length === 0
				? html`<p class="empty">
					${data.runs.length ? 'No run fits the filters.' : 'There is no run here yet. Start one, and it appears by itself.'}
						</p>` : html`
			<${Rows} name="Runs" kind="wide" list=${rows}
				head=${html`<th scope="col">A</th><th scope="col">B</th><th scope="col">Run</th><th scope="col">Status</th>
					<th scope="col">Scenario</th><th scope="col">Model</th><th scope="col" class="num">Seed</th>
						<th scope="col" class="num">Ticks</th><th scope="col" class="num">Score</th><th scope="col" class="num">Goals</th>
							<th scope="col" class="num">Calls</th><th scope="col" class="num">Cost</th><th scope="col">Started</th>`}
								row=${(r) => html`
					${['a', 'b'].map((side) => html`<td>
						<input type="checkbox" aria-label=${'compare ' + clean(r.id) + ' as ' + side.toUpperCase()}
							checked=${picked[side].includes(r.id)} onChange=${() => pick(side, r.id)} /></td>`)}
					<td><a href=${href('/run', { id: r.id })}>${r.id === '.' ? 'this run' : clean(r.id)}</a>
						${r.parent ? html`<br /><span class="soft small">fork of ${shown(r.parent)}</span>` : ''}${r.labels
							? html`<br /><span class="small">${labels(r).map((l) => html`<span class="pill">${shown(l)}</span> `)}</span>`
								: ''}</td>
					<td><${Pill} status=${r.status} />
						${r.problem ? html`<br /><span class="bad small">${shown(r.problem)}</span>` : ''}</td><td>${shown(r.scenario)}
							</td><td>${shown(r.model)}${r.model_source === 'scripted' ? html` <span class="soft small">(wiring only)</span>`
								: ''}</td>
					<td class="num">${r.seed}</td><td class="num">${num(r.ticks)}</td><td class="num">
						${r.score === undefined ? '–' : num(r.score)}</td><td class="num">${r.counted ? num(r.goals_met) : '–'}</td>
					<td class="num">${r.counted ? num(r.calls) : '–'}</td><td class="num">
						${r.counted ? money(r.cost_micros, r.currency) : '–'}</td><td class="small">
							${shown(r.started_at.replace('T', ' ').slice(0, 16))}</td>`} />`}
		</section>`;
}
