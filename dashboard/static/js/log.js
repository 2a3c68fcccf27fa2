// The log of events, decisions, calls and steps, searched on the server page by page.
import { html, useEffect, useRef, useState, go, href, get, num, shown, single, said, Pick, Note,
	Sheet } from './lib.js';

const kinds = { '': 'everything', event: 'events', decision: 'decisions', call: 'model calls', step: 'remarkable steps',
	cap: 'caps', run: 'the run', bad: 'what failed or was refused' };

export function Log({ id, run, q, version }) {
	const [page, setPage] = useState({ rows: [], next: 0, done: false });
	const [text, setText] = useState(q.get('q') || '');
	const [error, setError] = useState('');
	const [busy, setBusy] = useState(false);
	const live = useRef(run.row.status === 'running');
	const asked = { q: q.get('q') || '', kind: q.get('kind') || '', agent: q.get('who') || '', from: q.get('from') || 1 };
	const key = JSON.stringify(asked);
	// The server answers after a while with what it has found. A search that has found nothing goes on.
	const load = (from, before, signal) => {
		setBusy(true);
		return get('log', { run: id, ...asked, from }, signal)
			.then((p) => {
				const rows = before.concat(p.rows);
				setPage({ rows, next: p.next, last: p.last, open: p.open || [] });
				setError('');
				if (rows.length === 0 && p.next) return load(p.next, rows, signal);
				setBusy(false);
			}, (e) => { if (e.name !== 'AbortError') { setError(e.message); setBusy(false); } });
	};
	useEffect(() => { const c = new AbortController(); load(asked.from, [], c.signal); return () => c.abort(); },
		[id, key]);
	// What follows is read as it is written, once all that was there is on the page.
	useEffect(() => {
		if (single || busy || page.next || page.last === undefined || !live.current) return;
		const c = new AbortController();
		load(page.last + 1, page.rows, c.signal);
		return () => c.abort();
	}, [version]);
	const short = !page.next && page.last && page.last < run.tick, grown = short && !single;
	const part = page.last && (page.next || short || asked.from > 1) // what the CSV holds if not all
		? ' of ticks ' + asked.from + ' to ' + page.last : '';
	return html`<section class="card">
		<form class="filters" onSubmit=${(e) => { e.preventDefault(); go({ q: text }); }}>
			<label>find <input type="search" value=${text} onInput=${(e) => setText(e.target.value)} /></label>
			<label>of <select value=${asked.kind} onChange=${(e) => go({ kind: e.target.value })}>
				${Object.entries(kinds).map(([k, name]) => html`<option value=${k}>${name}</option>`)}</select></label>
			<label>agent <${Pick} ids=${run.agents.map((a) => a.id)} none="all" value=${asked.agent}
				set=${(who) => go({ who })} /></label>
			<label>from tick <input type="number" min="1" max=${run.tick} value=${asked.from}
				onChange=${(e) => go({ from: e.target.value })} /></label>
			<button class="primary">Search</button>
		</form>
		${error && html`<${Note} bad>${shown(error)}<//>`}
		<${Sheet} name=${'Log' + part}><thead><tr><th scope="col" class="num">Tick</th>
			<th scope="col">Agent</th><th scope="col">What</th><th scope="col">Text</th></tr></thead>
			<tbody>${page.rows.concat(page.open || []).map((r, i) => html`<tr key=${i}><td class="num">
				<a href=${href('/run', { id, tick: r.tick, agent: r.agent, open: r.agent ? 1 : '' })}>${num(r.tick)}</a></td>
				<td class="who">${shown(r.agent || '')}</td>
				<td><span class="soft small">${r.kind}</span> <span class=${r.bad ? 'bad' : ''}>
						${shown(said(r.what))}</span></td><td class="small">
							${shown(r.text || '')}${r.place ? html` <span class="soft">${shown(r.place)}</span>` : ''}</td></tr>`)}
								</tbody><//>
		${short && single &&
			html`<${Note}>This file holds the log up to tick ${num(page.last)} of ${num(run.tick)}. The page of the run itself
				has all of it.<//>`}
		${!busy && page.rows.length === 0 &&
			html`<p class="empty">Nothing found.</p>`}
		<p role="status">
			${busy ? `Searching… ${page.last ? 'up to tick ' + num(page.last) : ''}`
				: html`<span class="soft small">${num(page.rows.length)} lines up to tick ${num(page.last || 0)}${part &&
					', which are those of the CSV'}</span>`} ${(page.next || grown)
						? html`<button disabled=${busy} onClick=${() => load(page.next || page.last + 1, page.rows)}>More</button>` : ''}
							</p>
	</section>`;
}
