// A chart over ticks with a table of the same content.
import { html, useEffect, useRef, useState, useSize, css, num, short, words, Rows, Png, Svg, Sheet } from './lib.js';

// Chart draws series over x. at is the present tick,
// pick is called with the tick that was clicked.
export function Chart({ title, x, series, unit, at, pick, theme, height = 150 }) {
	const box = useRef(null), plot = useRef(null), now = useRef(at);
	const { width } = useSize(box);
	const [open, setOpen] = useState(false), [over, setOver] = useState(null);
	now.current = at;
	const cursor = useRef(null); // at the present tick, above the drawing, which stays as it is
	if (!cursor.current) { cursor.current = document.createElement('i'); cursor.current.className = 'now'; }
	const place = (u) => {
		const px = now.current === undefined ? -1 : u.valToPos(now.current, 'x');
		cursor.current.hidden = !(px >= 0 && px <= u.bbox.width / devicePixelRatio);
		cursor.current.style.left = px + 'px';
	};
	const some = x.length > 1 && series.some((s) => s.data.some((n) => n));
	useEffect(() => {
		if (!width || !some) return;
		const line = css('--line'), ink = css('--soft');
		const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 },
			font: '11px system-ui' };
		const u = new uPlot({
			width, height, legend: { show: false }, cursor: { y: false, points: { size: 5 } },
			scales: { x: { time: false } },
			axes: [axis, { ...axis, size: 46, values: (_, v) => v.map(short) }],
			series: [{}, ...series.map((s, i) =>
				({ label: s.label, stroke: css('--c' + (i + 1)), width: 1.5, points: { show: false }, paths: s.steps
					? uPlot.paths.stepped({ align: 1 }) : s.bars ? uPlot.paths.bars({ size: [0.8, 40] }) : undefined, fill: s.bars
						? css('--c' + (i + 1)) : undefined }))],
			hooks: { setCursor: [(u) => setOver(u.cursor.idx ?? null)], init: [(u) => u.over.append(cursor.current)], draw:
				[place] },
		}, [x, ...series.map((s) => s.data)], box.current);
		plot.current = u;
		const click = () => { if (pick && u.cursor.idx !== null && u.cursor.idx !== undefined) pick(x[u.cursor.idx]); };
		u.over.addEventListener('click', click);
		return () => { plot.current = null; u.destroy(); };
	}, [width, theme, some, x, ...series.map((s) => s.data)]);
	useEffect(() => { if (plot.current) place(plot.current); }, [at]);
	return html`<figure class="card" aria-label=${title}>
		<figcaption><strong>${title}</strong>
			${unit && html`<span>${unit}</span>`}${series.length > 1 &&
				series.map((s, i) => html`<span><i class=${'key k' + (i + 1)}></i>${s.label}</span>`)}
			${over !== null && x[over] !== undefined && html`<span class="over" aria-hidden="true">tick ${num(x[over])}:${' '}
				${series.map((s) => num(s.data[over])).join(' / ')}</span>`}
			${some && html`<span class="saves"><${Png} name=${title} box=${box} ground="--card" />${' '}
				<${Svg} chart=${{ title, unit, x, series }} /></span>`}</figcaption>
		<div ref=${box} style=${{ minHeight: some ? height + 'px' : '0' }} aria-hidden="true"></div>
		${!some && html`<p class="empty small">${x.length ? 'Nothing of this happened.' : 'No tick yet.'}</p>`}
		${some && html`<details onToggle=${(e) => setOpen(e.target.open)}><summary>Table</summary>
			${open && html`<${Rows} name=${'Table of ' + title} list=${x.map((_, i) => i)}
				head=${html`<th scope="col" class="num">Tick</th>
					${series.map((s) => html`<th scope="col" class="num">${s.label}</th>`)}`}
						row=${(i) => html`<td class="num">
							${pick ? html`<button class="link" onClick=${() => pick(x[i])}>${x[i]}</button>` : x[i]}</td>
								${series.map((s) => html`<td class="num">${num(s.data[i])}</td>`)}`} />`}
		</details>`}
	</figure>`;
}

// Bars is a table of counts with bars.
export function Bars({ title, counts, empty }) {
	const rows = Object.entries(counts || {}).sort((a, b) => b[1] - a[1]).slice(0, 30);
	const most = rows.length ? rows[0][1] : 1;
	return html`<section class="card"><h2>${title}</h2>
		${rows.length === 0 ? html`<p class="empty small">${empty || 'None.'}</p>`
			: html`<${Sheet} name=${title}><thead><tr><th scope="col">What</th><th scope="col" class="num">Count</th>
				<th scope="col">Share of the most frequent</th></tr></thead><tbody>
		${rows.map(([k, n]) => html`<tr><td>${words(k)}</td><td class="num">${num(n)}</td><td>
			<meter min="0" max=${most} value=${n} aria-label=${words(k)}></meter></td></tr>`)}</tbody><//>`}</section>`;
}
