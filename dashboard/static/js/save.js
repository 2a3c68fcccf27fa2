// What leaves the page as a file: a table as CSV, a canvas as PNG, a chart as SVG. Names say what the page is of.
import { html, render, useRef } from '../vendor/htm-preact.js';

// fileName names a file by what the page is of, which its title says, and by the part that is in it.
function fileName(part, ending) {
	const text = document.title.replace(/ · Agent World$/, '') + '-' + part;
	return text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+|-+$/g, '').slice(0, 120) + ending;
}

function save(part, ending, blob) {
	const a = document.createElement('a');
	a.href = URL.createObjectURL(blob);
	a.download = fileName(part, ending);
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

// cellText is what a cell says: a number without separators, and no text that a spreadsheet takes for a formula.
function cellText(cell) {
	if (cell.dataset.csv !== undefined) return cell.dataset.csv;
	const meter = cell.querySelector('meter');
	if (meter) return String(meter.value);
	const copy = cell.cloneNode(true);
	for (const gap of copy.querySelectorAll('br, li, p')) gap.after(' ');
	const text = copy.textContent.replace(/\s+/g, ' ').replace(/ [▴▾]$/, '').trim();
	if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return text.replace(/,/g, '');
	return /^\s*["'`]*[=+@-]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? "'" + text : text;
}

const quoted = (text) => (/[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);

// csvOf is a table as CSV.
const csvOf = (table) => [...table.rows].map((r) => [...r.cells].map((c) => quoted(cellText(c))).join(',')).join('\r\n')
	+ '\r\n';

// Csv saves a table. of gives it as an element, or what to draw of it if not all of it is on the page.
export const Csv = ({ name, of }) => html`<div class="saves"><button type="button" class="link small"
	aria-label=${'Save as CSV: ' + name} onClick=${() => {
		let table = of();
		if (!(table instanceof Element)) {
			const box = document.createElement('div');
			render(table, box);
			table = box.querySelector('table');
		}
		save(name, '.csv', new Blob(['\ufeff' + csvOf(table)], { type: 'text/csv' }));
	}}>CSV</button></div>`;

// Sheet is a table of few rows with its CSV.
export function Sheet({ name, kind = 'wide', children }) {
	const at = useRef(null);
	return html`<div class=${kind} tabindex="0" role="region" aria-label=${name}><table ref=${at}>${children}</table></div>
		<${Csv} name=${name} of=${() => at.current} />`;
}

// Png saves what the canvases in an element show, one above the other, on a ground.
export const Png = ({ name, box, ground, kind = 'link small' }) => html`<button type="button" class=${kind}
	aria-label=${'Save as PNG: ' + name} onClick=${() => {
		const all = [...box.current.querySelectorAll('canvas')], to = document.createElement('canvas');
		to.width = Math.max(...all.map((c) => c.width));
		to.height = Math.max(...all.map((c) => c.height));
		const c = to.getContext('2d');
		c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(ground);
		c.fillRect(0, 0, to.width, to.height);
		for (const one of all) c.drawImage(one, 0, 0);
		to.toBlob((blob) => save(name, '.png', blob), 'image/png');
	}}>PNG</button>`;

const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => marks[c]);
const inks = ['#2a55c4', '#c2410c', '#1d7a46', '#8b3fb0', '#0e7490', '#a16207'];

// round is a step of 1, 2 or 5 that divides a span into some five.
function round(span) {
	const ten = 10 ** Math.floor(Math.log10(span / 5 || 1)), by = span / 5 / ten;
	return ten * (by > 5 ? 10 : by > 2 ? 5 : by > 1 ? 2 : 1);
}

// svgOf is a chart as a picture of its own: its title, axes with figures, a line for each series, and their names.
function svgOf({ title, unit, x, series }) {
	const wide = 900, high = 420, left = 80, right = 20, top = 70, bottom = 40;
	const all = series.flatMap((s) => s.data).filter((v) => Number.isFinite(v));
	const low = all.reduce((a, b) => Math.min(a, b), 0), most = all.reduce((a, b) => Math.max(a, b), low + 1);
	const px = (t) => left + (wide - left - right) * (t - x[0]) / Math.max(1, x[x.length - 1] - x[0]);
	const py = (v) => high - bottom - (high - top - bottom) * (v - low) / (most - low);
	const n = (v) => String(Math.round(v * 100) / 100), parts = [];
	const label = (tx, ty, text, more = '') => parts.push(
		`<text x="${n(tx)}" y="${n(ty)}" font-size="13" ${more}>${escaped(text)}</text>`);
	label(left, 24, title + (unit ? ', ' + unit : ''), 'font-weight="bold"');
	for (let v = Math.ceil(low / round(most - low)) * round(most - low); v <= most; v += round(most - low)) {
		parts.push(`<line x1="${left}" x2="${wide - right}" y1="${n(py(v))}" y2="${n(py(v))}" stroke="#ddd"/>`);
		label(left - 8, py(v) + 4, Number(v.toPrecision(12)).toLocaleString('en-US'), 'text-anchor="end"');
	}
	const step = Math.max(1, round(x[x.length - 1] - x[0]));
	for (let t = Math.ceil(x[0] / step) * step; t <= x[x.length - 1]; t += step) label(px(t), high - bottom + 20,
		t.toLocaleString('en-US'), 'text-anchor="middle"');
	label(wide - right, high - 4, 'tick', 'text-anchor="end"');
	series.forEach((s, i) => {
		const at = left + i * (wide - left - right) / series.length, ink = inks[i % inks.length];
		parts.push(`<line x1="${n(at)}" x2="${n(at + 18)}" y1="46" y2="46" stroke="${ink}" stroke-width="3"/>`);
		label(at + 24, 50, s.label);
		const points = s.data.map((v, k) => (Number.isFinite(v) ? n(px(x[k])) + ',' + n(py(v)) : '')).filter(Boolean);
		parts.push(`<polyline fill="none" stroke="${ink}" stroke-width="1.5" points="${points.join(' ')}"/>`);
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" width="${wide}" height="${high}" ` +
		`font-family="sans-serif"><title>${escaped(title)}</title><rect width="${wide}" height="${high}" fill="#fff"/>` +
		parts.join('\n') + '</svg>\n';
}

// Svg saves a chart as a picture that any size suits, or one that the server drew.
export const Svg = ({ chart, name = chart.title, drawn }) => html`<button type="button" class="link small"
	aria-label=${'Save as SVG: ' + name} onClick=${() => save(name, '.svg',
		new Blob([drawn || svgOf(chart)], { type: 'image/svg+xml' }))}>SVG</button>`;
