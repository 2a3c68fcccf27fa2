// The world from above, on two canvases: places, which change with the view alone, and what moves.
import { html, useEffect, useRef, useState, useSize, css, sharp, Png, clean, shown, num, words, noAnswer, refused,
	actionText } from './lib.js';

const clusterFrom = 1000;
const hues = { silicate: 35, metal: 220, ice: 195, carbon: 280, composite: 130 };
export const layers = { places: 'Places', agents: 'Agents', journeys: 'Journeys', jobs: 'Jobs', messages: 'Messages',
	offers: 'Offers and orders', names: 'Names' };

// scene puts the things of a tick where they are, in centimetres.
export function scene(chart, world) {
	const at = new Map(chart.places.map((p) => [p.id, p]));
	const here = new Map(); // how many agents are at each place
	for (const a of world.agents) if (!a.journey) here.set(a.place, (here.get(a.place) || 0) + 1);
	const seated = new Map();
	const agents = [];
	for (const [i, a] of world.agents.entries()) {
		let x, y;
		const j = a.journey;
		if (j) {
			const from = at.get(j.from), to = at.get(j.to);
			if (!from || !to) continue;
			const f = Math.min(1, Math.max(0, (world.tick - j.departed) / Math.max(1, j.arrives - j.departed)));
			x = from.x + (to.x - from.x) * f; y = from.y + (to.y - from.y) * f;
		} else {
			const p = at.get(a.place);
			if (!p) continue;
			x = p.x; y = p.y;
		}
		const n = j ? 0 : here.get(a.place), k = seated.get(a.place) || 0;
		if (n) seated.set(a.place, k + 1);
		agents.push({ a, x, y, mates: n, seat: n && n <= crowdFrom ? seat(k, n) : [0, 0], did: world.did[i], from: j &&
			at.get(j.from), to: j && at.get(j.to) });
	}
	return { at, here, agents, byId: new Map(agents.map((g) => [g.a.id, g])), world };
}

// doing is what an agent did, inWord that in a word: agents say it on the map if there are few.
const busyMax = 12;
const act = (did) => { try { return JSON.parse(did.action); } catch { return {}; } };
const waited = (did) => did.failed && act(did).action === 'wait';
const doing = (did) => (waited(did) ? noAnswer(did.failed) : (did.failed ? noAnswer(did.failed) + ', then ' : '')
	+ actionText(did.action));
const inWord = (did) => { const a = act(did);
return waited(did) ? 'no answer' : words(a.do ? a.do.action : a.action || '').split(' ').slice(0, 2).join(' '); };

const powerColor = (state) => css({ normal: '--good', low: '--warn', critical: '--bad', shutdown: '--bad' }[state] ||
	'--soft');

class View {
	constructor() { this.x = 0; this.y = 0; this.scale = 1; this.moved = false; }
	fit(chart, size) {
		const list = chart.places.filter((p) => p.charted);
		const of = list.length ? list : chart.places;
		const xs = of.map((p) => p.x), ys = of.map((p) => p.y);
		let [x0, x1, y0, y1] = of.length && of.length < 5000
			? [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)] : [0, chart.width_cm, 0, chart.depth_cm];
		const span = Math.max(x1 - x0, y1 - y0, chart.width_cm / 200);
		if (chart.places.length > of.length && span < chart.width_cm / 3) { x0 -= span * .3; x1 += span * .3; y0 -= span * .3;
		y1 += span * .3; }
		this.scale = Math.max(1e-7,
			Math.min((size.width - 150) / Math.max(x1 - x0, chart.width_cm / 200),
				(size.height - 170) / Math.max(y1 - y0, chart.depth_cm / 200)));
		this.x = (x0 + x1) / 2; this.y = (y0 + y1) / 2; this.moved = false;
	}
	px(x, y, size) { return [size.width / 2 + (x - this.x) * this.scale, size.height / 2 - (y - this.y) * this.scale]; }
	zoom(f, at, size) {
		const dx = (at[0] - size.width / 2) / this.scale, dy = (size.height / 2 - at[1]) / this.scale;
		const next = Math.min(Math.max(this.scale * f, 1e-7), 0.05);
		this.x += dx - dx * this.scale / next; this.y += dy - dy * this.scale / next;
		this.scale = next;
	}
}

const namedMax = 4, crowdFrom = 24; // more agents at a place have no names, or are one bubble
const thingsMax = 10; // factories, offers and orders that are drawn at a place

// seat is where the i-th of n agents at a place is drawn, from its middle, in pixels. A few have
// room for their names; else each ring has as many as fit side by side.
function seat(i, n) {
	let r = n > 1 && n <= namedMax ? 29 : 19;
	for (;;) {
		const room = Math.floor(2 * Math.PI * r / 16);
		if (i < room) {
			const d = i / Math.min(n, room) * 2 * Math.PI - (n === 2 ? Math.PI : Math.PI / 2);
			return [r * Math.cos(d), r * Math.sin(d)];
		}
		i -= room; n -= room; r += 16;
	}
}

// above and below are how far the agents at a place reach, with their names.
const reach = (n) => Math.hypot(...seat(n - 1, n));
const above = (n, r) => (n === 0 || n === 2 ? r + 2 : n <= namedMax ? reach(n) + 23 : n > crowdFrom ? 22
	: reach(n) + 11);
const below = (n) => (n < 2 || n > crowdFrom ? 24 : n === 2 ? 32 : reach(n) + 25);

const inside = ([x, y], size) => x > -40 && y > -40 && x < size.width + 40 && y < size.height + 40;

// clusters puts what is near on the screen together.
function clusters(points, cell = 42) {
	const of = new Map();
	for (const p of points) {
		const key = Math.floor(p[0] / cell) + ' ' + Math.floor(p[1] / cell);
		const c = of.get(key) || { x: 0, y: 0, n: 0 };
		c.x += p[0]; c.y += p[1]; c.n++;
		of.set(key, c);
	}
	return [...of.values()].map((c) => ({ x: c.x / c.n, y: c.y / c.n, n: c.n }));
}

function bubble(c, at, color) {
	const r = 7 + 5 * Math.log10(at.n);
	c.fillStyle = color; c.globalAlpha = .8; c.beginPath(); c.arc(at.x, at.y, r, 0, 7); c.fill(); c.globalAlpha = 1;
	c.fillStyle = css('--on-accent'); c.font = '11px system-ui'; c.textAlign = 'center'; c.textBaseline = 'middle';
	c.fillText(at.n, at.x, at.y);
}

const overlaps = (taken, box) => taken.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1]);

function label(c, text, x, y, taken, bold) {
	c.font = (bold ? '600 ' : '') + '11.5px system-ui'; c.textAlign = 'center'; c.textBaseline = 'top';
	const w = c.measureText(text).width, wide = c.canvas.clientWidth;
	if (x >= 0 && x <= wide) x = Math.max(w / 2 + 4, Math.min(wide - w / 2 - 4, x)); // all of the name, of what is in view
	const box = [x - w / 2 - 2, y - 1, x + w / 2 + 2, y + 14];
	if (!bold && overlaps(taken, box)) return;
	taken.push(box);
	c.strokeStyle = css('--space'); c.lineWidth = 3; c.lineJoin = 'round'; c.strokeText(text, x, y);
	c.fillText(text, x, y);
}

function drawPlaces(canvas, size, view, chart, show, theme) {
	const c = sharp(canvas, size.width, size.height), dark = theme === 'dark';
	// The grid: the finest of 1, 10, 100 km that is at least 40 pixels wide.
	let step = 1e5; while (step * view.scale < 40) step *= 10;
	c.strokeStyle = css('--grid'); c.lineWidth = 1; c.beginPath();
	const [x0] = view.px(0, 0, size), w = step * view.scale;
	for (let x = ((x0 % w) + w) % w; x < size.width; x += w) { c.moveTo(x, 0); c.lineTo(x, size.height); }
	const [, y0] = view.px(0, 0, size);
	for (let y = ((y0 % w) + w) % w; y < size.height; y += w) { c.moveTo(0, y); c.lineTo(size.width, y); }
	c.stroke();
	const [l, b] = view.px(0, 0, size), [r, t] = view.px(chart.width_cm, chart.depth_cm, size);
	c.strokeStyle = css('--line'); c.strokeRect(l, t, r - l, b - t);
	const spots = [];
	if (!show.places) return { step, spots, seen: 0 };
	if (chart.cells) {
		const cw = chart.width_cm / chart.grid, ch = chart.depth_cm / chart.grid, most = Math.max(...chart.cells);
		c.fillStyle = css('--c1');
		chart.cells.forEach((n, i) => {
			if (!n) return;
			const [x, y] = view.px((i % chart.grid) * cw, (Math.floor(i / chart.grid) + 1) * ch, size);
			c.globalAlpha = .05 + .3 * n / most; c.fillRect(x, y, cw * view.scale + .5, ch * view.scale + .5);
		});
		c.globalAlpha = 1;
	}
	const seen = chart.places.map((p) => [...view.px(p.x, p.y, size), p]).filter((p) => inside(p, size));
	if (seen.length > clusterFrom) {
		for (const at of clusters(seen)) bubble(c, at, css('--soft'));
		return { step, spots, seen: seen.length };
	}
	const strongest = Math.max(1, ...chart.places.map((p) => p.emission));
	const lowest = Math.min(...chart.places.map((p) => p.z)), highest = Math.max(...chart.places.map((p) => p.z));
	for (const [x, y, p] of seen) {
		if (p.emission > 0) {
			const glow = 14 + 30 * Math.sqrt(p.emission / strongest), g = c.createRadialGradient(x, y, 2, x, y, glow);
			g.addColorStop(0, dark ? 'rgba(255,200,87,.24)' : 'rgba(240,160,0,.2)'); g.addColorStop(1, 'rgba(255,200,87,0)');
			c.fillStyle = g; c.beginPath(); c.arc(x, y, glow, 0, 7); c.fill();
		}
	}
	for (const [x, y, p] of seen) {
		const h = highest > lowest ? (p.z - lowest) / (highest - lowest) : .5; // height as shade
		const rad = Math.max(p.charted ? 6 : 3.5, Math.min(26, p.radius * view.scale));
		c.fillStyle = `hsl(${hues[p.material] ?? 0} 32% ${dark ? 28 + 42 * h : 40 + 42 * h}%)`;
		c.beginPath(); c.arc(x, y, rad, 0, 7); c.fill();
		c.strokeStyle = dark ? '#0008' : '#0004'; c.lineWidth = 1; c.stroke();
		spots.push({ x, y, r: rad, place: p });
	}
	return { step, spots, seen: seen.length };
}

function drawMoving(canvas, size, view, s, show, chosen, { spots, seen }, wanted) {
	const c = sharp(canvas, size.width, size.height), hits = [];
	const flat = (g) => view.px(g.x, g.y, size);
	const px = (g) => { const [x, y] = flat(g); return [x + g.seat[0], y + g.seat[1]]; };
	const visible = s.agents.filter((g) => inside(px(g), size) && wanted(g.a));
	const crowded = visible.length + seen > clusterFrom;
	visible.sort((a, b) => (b.a.id === chosen) - (a.a.id === chosen)); // whose name comes first
	if (show.journeys && !crowded) {
		for (const g of visible) {
			if (!g.to) continue;
			const a = view.px(g.from.x, g.from.y, size), b = view.px(g.to.x, g.to.y, size);
			c.strokeStyle = css('--c1'); c.globalAlpha = .75; c.lineWidth = 1.4; c.setLineDash([5, 4]); c.beginPath();
			c.moveTo(...a); c.lineTo(...b); c.stroke(); c.setLineDash([]);
			const d = Math.atan2(b[1] - a[1], b[0] - a[0]); c.fillStyle = css('--c1'); c.beginPath(); c.moveTo(...b);
			c.lineTo(b[0] - 9 * Math.cos(d - .4), b[1] - 9 * Math.sin(d - .4));
			c.lineTo(b[0] - 9 * Math.cos(d + .4), b[1] - 9 * Math.sin(d + .4)); c.fill(); c.globalAlpha = 1;
		}
	}
	if (show.messages && !crowded) {
		for (const m of s.world.messages) {
			const from = s.byId.get(m.from), to = s.byId.get(m.to);
			if (!from || !to) continue;
			const a = px(from), b = px(to), f = Math.min(1, (s.world.tick - m.sent + .5) / Math.max(1, m.due - m.sent));
			const mid = [(a[0] + b[0]) / 2 + (b[1] - a[1]) * .18, (a[1] + b[1]) / 2 - (b[0] - a[0]) * .18];
			const color = css(m.kind ? '--c4' : '--c5');
			c.strokeStyle = color; c.lineWidth = 1.2; c.globalAlpha = .8; c.beginPath(); c.moveTo(...a);
			c.quadraticCurveTo(...mid, ...b); c.stroke(); c.globalAlpha = 1;
			const q = [0, 1].map((i) => (1 - f) ** 2 * a[i] + 2 * (1 - f) * f * mid[i] + f * f * b[i]);
			c.fillStyle = color; c.fillRect(q[0] - 4, q[1] - 3, 8, 6);
			hits.push({ x: q[0], y: q[1], r: 7,
				text: [m.id, (m.kind ? words(m.kind) : 'message') + ' from ' + m.from + ' to ' + m.to,
					'sent in tick ' + num(m.sent) + ', due in ' + num(m.due), ...(m.text ? [m.text] : [])] });
		}
	}
	// Agents at a place are a bubble if they are many, or would be drawn over those of another place.
	const occupied = crowded ? []
		: [...s.here].filter(([place]) => s.at.has(place))
			.map(([place, n]) => ({ place, n, at: flat(s.at.get(place)), r: n > crowdFrom ? 20 : reach(n) + 9 }))
				.filter((p) => inside(p.at, size));
	const bubbles = new Set(occupied.filter((p) => p.n > crowdFrom || p.n > namedMax &&
		occupied.some((o) => o !== p && Math.hypot(o.at[0] - p.at[0], o.at[1] - p.at[1]) < o.r + p.r)).map((p) => p.place));
	if (show.offers && !crowded) {
		for (const t of s.world.contacts || []) {
			const from = s.byId.get(t.from), to = s.byId.get(t.to);
			if (t.kind !== 'gift' && t.kind !== 'trade' || t.tick !== s.world.tick || !from || !to) continue;
			const a = px(from), z = px(to), d = Math.atan2(z[1] - a[1], z[0] - a[0]);
			const end = [z[0] - 9 * Math.cos(d), z[1] - 9 * Math.sin(d)];
			c.strokeStyle = c.fillStyle = css('--c6'); c.lineWidth = 2.2; c.beginPath(); c.moveTo(...a); c.lineTo(...end);
			c.stroke(); c.beginPath(); c.moveTo(...end);
			for (const side of [-.5, .5]) c.lineTo(end[0] - 8 * Math.cos(d + side), end[1] - 8 * Math.sin(d + side));
			c.fill();
			hits.push({ x: (a[0] + z[0]) / 2, y: (a[1] + z[1]) / 2, r: 8, text: [t.from + ' gave ' + t.to,
				num(t.gives.amount) + ' ' + words(t.gives.resource)] });
		}
	}
	const taken = [];
	if (show.agents) for (const p of occupied) if (bubbles.has(p.place)) taken.push([p.at[0] - 18, p.at[1] - 18,
		p.at[0] + 18, p.at[1] + 18]);
	const inBubble = (g) => !g.to && bubbles.has(g.a.place) && g.a.id !== chosen, round = taken.slice();
	const past = ([x, y]) => round.some((b) => x > b[0] && x < b[2] && y > b[1] && y < b[3]); // on its way, over a bubble
	const drawn = show.agents && !crowded
		? visible.filter((g) => g.a.id === chosen || !inBubble(g) && !(g.to && past(px(g)))) : [];
	for (const g of drawn) { const [x, y] = px(g); taken.push([x - 7, y - 7, x + 7, y + 7]); }
	const things = new Map(), under = (place) => bubbles.has(place) ? 30 : below(s.here.get(place) || 0);
	const put = (place, text, draw) => { if (!s.at.has(place)) return; if (!things.has(place)) things.set(place, []);
	things.get(place).push({ text, draw }); };
	if (show.jobs && !crowded) {
		for (const f of s.world.factories) {
			put(f.place, [f.id, words(f.kind) + ' of ' + f.owner,
				f.state + (f.recipe ? ' on ' + f.recipe : '') + (f.ready_in ? ', ' + f.ready_in + ' ticks left' : '')], (x, y) => {
				c.fillStyle = css(f.state === 'working' ? '--c3' : f.state === 'building' ? '--c6' : '--soft');
				c.fillRect(x - 5, y - 4, 10, 8); c.beginPath(); c.moveTo(x - 5, y - 4); c.lineTo(x - 1, y - 8);
				c.lineTo(x - 1, y - 4); c.lineTo(x + 4, y - 8); c.lineTo(x + 4, y - 4); c.fill();
			});
		}
	}
	if (show.offers && !crowded) {
		for (const o of [...s.world.offers.map((o) =>
			({ place: o.place, color: '--c4',
				text: [o.id, o.from + ' offers ' + num(o.give_amount) + ' ' + o.give + ' for ' + num(o.want_amount) + ' ' + o.want,
					'to ' + o.to] })),
			...s.world.orders.map((o) =>
				({ place: o.place, color: '--c2',
					text: [o.id, o.agent + ': ' + o.side + ' ' + num(o.amount) + ' electricity at ' + o.price] }))]) {
			put(o.place, o.text,
				(x, y) => { y -= 2; c.fillStyle = css(o.color); c.beginPath(); c.moveTo(x, y - 5); c.lineTo(x + 5, y);
				c.lineTo(x, y + 5); c.lineTo(x - 5, y); c.fill(); });
		}
	}
	for (const [place, list] of things) {
		const [x0, y0] = flat(s.at.get(place)), top = y0 + under(place);
		if (!inside([x0, y0], size)) continue;
		const box = (n) => [x0 - 33, top - 9, x0 - 33 + 13 * Math.min(n, 5) + 2, top + 13 * Math.ceil(n / 5) - 7];
		// A few have room; of more, or beside another place's, there is a count.
		let shown = list.length > thingsMax ? thingsMax - 1 : list.length;
		if (overlaps(taken, box(Math.min(list.length, thingsMax)))) shown = 0;
		if (!shown && overlaps(taken, box(2))) continue;
		taken.push(box(shown ? Math.min(list.length, thingsMax) : 2));
		const slot = (n) => [x0 - 26 + (n % 5) * 13, top + 13 * Math.floor(n / 5)];
		for (const [n, one] of list.slice(0, shown).entries()) {
			const [x, y] = slot(n);
			one.draw(x, y);
			hits.push({ x, y, r: 8, text: one.text });
		}
		if (shown < list.length) {
			const [x, y] = slot(shown);
			c.fillStyle = css('--ink'); c.font = '10px system-ui'; c.textAlign = 'left'; c.textBaseline = 'middle';
			c.fillText('+' + num(list.length - shown), x - 5, y - 1);
			hits.push({ x, y, r: 10,
				text: [place, num(list.length - shown) + (shown ? ' more' : '') +
					' factories, offers and orders; the tables beside the map have each'] });
		}
	}
	if (show.names && !crowded) {
		c.fillStyle = css('--soft');
		for (const p of spots) {
			const n = show.agents ? s.here.get(p.place.id) || 0 : 0;
			if (p.place.charted || n || spots.length < 40) label(c,
				'\u2066' + clean(p.place.name || p.place.id) + '\u2069' + (n > namedMax ? ' · ' + n + ' agents' : ''), p.x,
					p.y - (bubbles.has(p.place.id) ? 22 : above(n, p.r)) - 14, taken);
		}
	}
	if (show.agents && crowded) for (const at of clusters(visible.map(flat))) bubble(c, at, css('--accent'));
	if (show.agents && !crowded) {
		const crowds = visible.filter(inBubble);
		for (const [place, n] of crowds.reduce((m, g) => m.set(g.a.place, (m.get(g.a.place) || 0) + 1), new Map())) {
			const [x, y] = flat(s.at.get(place));
			bubble(c, { x, y, n }, css('--accent'));
			hits.push({ x, y, r: 12, text: [place, num(n) + ' agents; the table and the search beside it have each'] });
		}
		for (const g of drawn) {
			const [x, y] = px(g), down = g.a.power_state === 'shutdown';
			if (g.a.id === chosen) { c.strokeStyle = css('--accent'); c.lineWidth = 2.5; c.beginPath(); c.arc(x, y, 11, 0, 7);
			c.stroke(); }
			c.beginPath(); c.arc(x, y, 6.5, 0, 7); c.fillStyle = css('--card'); c.fill();
			c.lineWidth = 2; c.strokeStyle = powerColor(g.a.power_state); c.stroke();
			if (down) { c.beginPath(); c.moveTo(x - 3, y - 3); c.lineTo(x + 3, y + 3); c.moveTo(x + 3, y - 3);
			c.lineTo(x - 3, y + 3); c.stroke(); } else {
				const full = g.a.electricity / Math.max(1, g.a.power_capacity); // the charge as a pie
				c.beginPath(); c.moveTo(x, y); c.arc(x, y, 4.5, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * full);
				c.fillStyle = powerColor(g.a.power_state); c.fill();
			}
			if (g.did && g.did.tick > 0 && g.did.tick === s.world.tick && !g.did.accepted) { c.fillStyle = css('--bad');
			c.font = '700 12px system-ui'; c.textAlign = 'left'; c.textBaseline = 'bottom'; c.fillText('!', x + 7, y - 2); }
			hits.push({ x, y, r: 9, agent: g.a.id,
				text: [g.a.id + (g.a.name ? ' · ' + g.a.name : ''),
					num(g.a.electricity) + ' of ' + num(g.a.power_capacity) + ' electricity, ' + g.a.power_state, g.a.journey
						? 'on its way to ' + g.a.journey.to : 'at ' + g.a.place, g.did && g.did.tick
							? doing(g.did) + (g.did.accepted ? '' : ' (' + refused(g.did.code) + ')')
								: 'has not acted yet'] });
			if (show.names && (g.a.id === chosen || g.mates <= namedMax)) { c.fillStyle = css('--ink');
			label(c, clean(g.a.id), x, g.seat[1] < -5 ? y - 22 : y + 8, taken, g.a.id === chosen);
			if (drawn.length <= busyMax && g.did && g.did.tick === s.world.tick) {
				c.fillStyle = css(g.did.failed ? '--bad' : '--soft');
				label(c, inWord(g.did), x, g.seat[1] < -5 ? y - 38 : y + 24, taken);
			} }
		}
	}
	const left = new Map(s.world.places.map((p) => [p.id, p]));
	return hits.concat(spots.map((p) =>
		({ x: p.x, y: p.y, r: p.r + 2, place: p.place.id,
			text: [p.place.name ? p.place.name + ' (' + p.place.id + ')' : p.place.id,
				p.place.material + (p.place.charted ? '' : ', not charted'),
					num(((left.get(p.place.id) || p.place).compound_g / 1000).toFixed(0)) + ' kg compound, radiation ' +
						num(p.place.radiation), (p.place.z / 1e5).toFixed(1) + ' km high'] })));
}

// Map shows a tick. Zoom by wheel or + and -, move by drag or arrows, 0 fits all.
export function Map2({ chart, world, chosen, follow, show, find, theme, pick }) {
	const box = useRef(null), back = useRef(null), front = useRef(null), view = useRef(new View()),
		base = useRef({ spots: [], seen: 0 }), hits = useRef([]), drag = useRef(null);
	const size = useSize(box);
	const [moved, move] = useState(0);
	const [tip, setTip] = useState(null);
	const [step, setStep] = useState(1e5); // of the grid, in centimetres
	const s = useRef(null);
	s.current = scene(chart, world);
	const wanted = (a) => !find || (a.id + ' ' + (a.name || '')).toLowerCase().includes(find.toLowerCase());
	const redraw = () => move((n) => n + 1);
	useEffect(() => {
		if (!size.width) return;
		const v = view.current;
		if (!v.moved) v.fit(chart, size); // as long as nobody moved it
		base.current = drawPlaces(back.current, size, v, chart, show, theme);
		setStep(base.current.step);
		redrawFront();
	}, [chart, size.width, size.height, moved, theme, show.places]);
	const redrawFront = () => {
		hits.current = drawMoving(front.current, size, view.current, s.current, show, chosen, base.current, wanted); };
	useEffect(() => {
		if (!size.width) return;
		const g = follow && s.current.byId.get(chosen);
		if (g && (view.current.x !== g.x || view.current.y !== g.y)) { view.current.moved = true; view.current.x = g.x;
		view.current.y = g.y; redraw(); return; }
		redrawFront();
	}, [world, chosen, follow, show, find]);
	const at = (e) => { const r = box.current.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
	const hit = (p) => { let best = null;
	for (const h of hits.current) { const d = Math.hypot(h.x - p[0], h.y - p[1]);
	if (d <= h.r + 3 && (!best || d < best.d)) best = { d, h }; } return best && best.h; };
	const zoom = (f, p) => { view.current.moved = true; view.current.zoom(f, p || [size.width / 2, size.height / 2], size);
	redraw(); };
	const pan = (dx, dy) => { view.current.moved = true; view.current.x -= dx / view.current.scale;
	view.current.y += dy / view.current.scale; redraw(); };
	const fit = () => { view.current.fit(chart, size); redraw(); };
	const fingers = useRef(new Map());
	const down = (e) => { e.currentTarget.setPointerCapture(e.pointerId); fingers.current.set(e.pointerId, at(e));
	drag.current = { p: at(e), far: 0 }; };
	const moving = (e) => {
		const p = at(e);
		if (!fingers.current.has(e.pointerId)) { const h = hit(p); setTip(h ? { p, text: h.text } : null); return; }
		const before = fingers.current.get(e.pointerId);
		if (fingers.current.size === 2) {
			const other = [...fingers.current].find(([id]) => id !== e.pointerId)[1];
			zoom(Math.hypot(p[0] - other[0], p[1] - other[1]) / Math.max(1,
				Math.hypot(before[0] - other[0], before[1] - other[1])), [(p[0] + other[0]) / 2, (p[1] + other[1]) / 2]);
		} else pan(p[0] - before[0], p[1] - before[1]);
		drag.current.far += Math.hypot(p[0] - before[0], p[1] - before[1]);
		fingers.current.set(e.pointerId, p);
		setTip(null);
	};
	const up = (e) => {
		const p = at(e);
		fingers.current.delete(e.pointerId);
		if (!drag.current || drag.current.far > 5) return;
		const h = hit(p);
		if (h && h.agent) pick(h.agent); else if (h) setTip({ p, text: h.text });
	};
	const keys = (e) => {
		const f = { ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60),
			ArrowDown: () => pan(0, -60), '+': () => zoom(1.4), '=': () => zoom(1.4), '-': () => zoom(1 / 1.4), 0: fit }[e.key];
		if (f) { e.preventDefault(); f(); }
	};
	useEffect(() => {
		const wheel = (e) => { e.preventDefault(); zoom(Math.exp(-e.deltaY * (e.deltaMode ? .05 : .0015)), at(e)); };
		const el = box.current;
		el.addEventListener('wheel', wheel, { passive: false });
		return () => el.removeEventListener('wheel', wheel);
	}, [size.width, size.height]);
	return html`<div class="map" ref=${box} data-tick=${world.tick}>
		<canvas ref=${back} aria-hidden="true"></canvas><canvas ref=${front} aria-hidden="true"></canvas>
		<div class="map-focus" tabindex="0" role="application"
			aria-label="Map of the world. Arrows move it, plus and minus zoom, 0 shows all. The tables beside it have the same
			content."
			onPointerDown=${down} onPointerMove=${moving} onPointerUp=${up} onPointerCancel=${up}
			onPointerLeave=${() => setTip(null)}
			onKeyDown=${keys}></div>
		${tip && html`<div class="tip"
			style=${{ left: Math.min(tip.p[0] + 12, Math.max(0, size.width - 240)) + 'px',
				top: Math.min(tip.p[1] + 12, Math.max(0, size.height - 100)) + 'px' }}>
					${tip.text.map((t, i) => html`<div class=${i ? 'small soft' : ''}>${shown(t)}</div>`)}</div>`}
		<div class="tools"><button aria-label="Zoom in" onClick=${() => zoom(1.4)}>+</button>
			<button aria-label="Zoom out" onClick=${() => zoom(1 / 1.4)}>−</button>
				<button aria-label="Show all" onClick=${fit}>◎</button>
			<${Png} name=${'map-tick-' + world.tick} box=${box} ground="--space" kind="small" /></div>
		<div class="legend"><span class="keys">${[['good', 'charged'], ['warn', 'low'], ['bad', 'critical or without power'],
			['c1', 'journey'], ['c5', 'message'], ['c4', 'request or offer'], ['c6', 'gift, building'], ['c2', 'order'],
			['c3', 'factory at work']].map(([k, name]) => html`<span><i class=${'key b-' + k}></i>${
				name}</span>`)}</span>grid ${num(step / 1e5)} km · lighter places are higher · glow is radiation · the pie of an
			agent is its charge${chart.omitted ? ' · ' + num(chart.omitted) + ' fragments as density' : ''}</div>
	</div>`;
}
