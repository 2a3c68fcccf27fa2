// What agents said, offered and gave to each other, as threads between two of them.
import { html, useData, go, href, num, shown, words, short, Rows, heads, Note, Waiting } from './lib.js';

const amount = (a) => short(a.amount) + ' ' + words(a.resource);

// said is a contact in words.
export function said(c) {
	const gives = c.gives && amount(c.gives), wants = c.wants && amount(c.wants);
	switch (c.kind) {
	case 'gift': return html`gave <b>${gives}</b>`;
	case 'trade': return html`sold <b>${gives}</b> for <b>${wants}</b>`;
	case 'offer': return html`offered <b>${gives || 'nothing'}</b> for <b>${wants || 'nothing'}</b>`;
	case 'request': return html`asked for <b>${wants || 'something'}</b>`;
	case 'decline': return 'declined';
	}
	return html`“${shown(c.text)}”`;
}

const stateClass = { accepted: 'good', delivered: '', cancelled: 'soft', expired: 'warn', open: '', 'on its way':
	'soft' };
const kinds = { message: 'messages', request: 'requests', offer: 'offers', decline: 'declined', gift: 'gifts',
	trade: 'trades' };

export function Contacts({ id, run, q, version }) {
	const a = q.get('with') || '', b = q.get('and') || '';
	const of = useData('contacts', { run: id, a, b }, version), data = of.data || of.old;
	if (!data) return html`<${Waiting} of=${of} />`;
	const other = (t, of) => (t.b ? shown(of) : html`<span class="soft">all</span>`);
	if (!data.pairs) return html`<p class="empty">No agent said, offered or gave anything to another${run.differs
		? ', as far as can be known without a world' : ''}.</p>`;
	return html`<div class="threads"><section class="card"><h2>Threads</h2>
		<${Rows} name="Threads" kind="scroll" list=${data.threads} head=${heads('Between', 'What', 'Ticks')}
			row=${(t) => html`<td><button class="link" aria-pressed=${t.a === a && t.b === b ? 'true' : 'false'}
				onClick=${() => go({ with: t.a, and: t.b })}>${shown(t.a)} – ${other(t, t.b)}</button></td><td class="small">
					${Object.entries(t.kinds).map(([k, n]) => num(n) + ' ' + (n === 1 ? k : kinds[k] || k)).join(', ')}</td><td
						class="small">
						${num(t.first)} to ${num(t.last)}</td>`} />
		${data.pairs > data.threads.length && html`<p class="soft small">${'The ' + num(data.threads.length) +
			' busiest of ' + num(data.pairs)}.</p>`}</section>
		<section class="card"><div class="bar spread"><h2>${a ? html`${shown(a)}${b ? html` and ${shown(b)}` : ''}`
			: 'All of them'}</h2>${a && html`<button onClick=${() => go({ with: '', and: '' })}>All of them</button>`}</div>
		${data.full && html`<${Note}>The run has more than the page keeps; the first are missing here.<//>`}
		${data.count > data.list.length && html`<p class="soft small">${'The last ' + num(data.list.length) + ' of ' +
			num(data.count)}.</p>`}
		<ol class="plain talk">${data.list.map((c, i) => html`<li key=${i} class=${a && c.from !== a ? 'right' : ''}>
			<a href=${href('/run', { id, tick: c.tick, agent: run.agents.some((x) => x.id === c.from) ? c.from : '',
				open: 1 })}>tick ${num(c.tick)}</a> <b>${shown(c.from)}</b>${c.to ? html` → <b>${shown(c.to)}</b>` : ''}: ${
					said(c)}
				${c.kind === 'gift' || c.kind === 'trade' ? '' : html` <span class=${'small ' + (stateClass[c.state] ?? '')}>
					${c.state}${c.state_tick > c.tick ? ' in tick ' + num(c.state_tick) :
						''}</span>`}</li>`)}</ol></section></div>`;
}
