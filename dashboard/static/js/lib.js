// What all views share: rendering, routes, requests, the stream of changes, and how things are
// written. Everything that comes from a run is shown through html``, which makes text nodes.
import { html, render, useEffect, useMemo, useRef, useState } from '../vendor/htm-preact.js';
import { hidden } from './hidden.js';
import { Csv } from './save.js';
export { Csv, Png, Sheet, Svg } from './save.js';
export { html, render, useEffect, useMemo, useRef, useState };

// --- routes: #/run?id=..&tick=..&agent=..

// A browser takes some 200 changes of its address in ten seconds and drops the others, so that a
// drag through time is written now and then: late is the address that is to be, if it is not yet.
let late = '', writing = 0;
function write() {
	clearTimeout(writing);
	if (late) history.replaceState(null, '', late);
	late = ''; writing = 0;
}
for (const e of ['hashchange', 'popstate']) window.addEventListener(e, () => { late = ''; });

export function route() {
	const [path, query] = (late || location.hash).replace(/^#/, '').split('?');
	return { path: path || '/', q: new URLSearchParams(query || '') };
}

export function href(path, params) {
	const q = new URLSearchParams();
	for (const [k, v] of Object.entries(params || {})) {
		for (const one of Array.isArray(v) ? v : [v]) {
			if (one !== undefined && one !== null && one !== '' && one !== false) q.append(k, one);
		}
	}
	const text = q.toString();
	return '#' + path + (text ? '?' + text : '');
}

// go changes parts of the query of the present route. Moving in time replaces the entry in the
// browser's history; anything else adds one.
export function go(params, replace) {
	const { path, q } = route();
	for (const [k, v] of Object.entries(params)) {
		if (v === undefined || v === null || v === '') q.delete(k); else q.set(k, v);
	}
	const to = '#' + (single ? '/' + single : path) + '?' + q.toString();
	if (to === (late || location.hash)) return;
	if (replace) {
		late = to;
		writing = writing || setTimeout(write, 100);
	} else {
		write();
		history.pushState(null, '', to);
	}
	window.dispatchEvent(new Event('routed'));
}

export function useRoute() {
	const [at, set] = useState(route());
	useEffect(() => {
		const see = () => set(route());
		for (const e of ['hashchange', 'popstate', 'routed']) window.addEventListener(e, see);
		return () => { for (const e of ['hashchange', 'popstate', 'routed']) window.removeEventListener(e, see); };
	}, []);
	return at;
}

// --- requests

// A page that is a single file has its answers in it, see onefile.go.
const inside = document.getElementById('data');
export const single = inside && inside.dataset.view; // of a run, or a comparison of two
export const saying = inside && inside.dataset.saying; // what it is, in words
let opened = null;

async function open() {
	const bytes = Uint8Array.from(atob(inside.textContent), (c) => c.charCodeAt(0));
	return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text());
}

async function fromFile(path, params) {
	const file = await (opened = opened || open());
	if (path === 'log') {
		const q = (params.q || '').toLowerCase(), kind = params.kind, from = Number(params.from) || 1;
		const rows = file.log.filter((r) => r.tick >= from && (!params.agent || r.agent === params.agent) &&
			(!kind || r.kind === kind || (kind === 'bad' && r.bad)) &&
				(!q || [said(r.what), r.what, r.text, r.agent, r.place, r.find].join(' ').toLowerCase().includes(q)));
		const page = rows.slice(0, 300), more = rows[300];
		const next = more && page[0].tick !== more.tick ? more.tick : 0;
		return { rows: more ? page.filter((r) => r.tick < more.tick || page[0].tick === more.tick) : page, next, last:
			next
			? next - 1 : file.log_to };
	}
	if (path === 'contacts') {
		const all = file.answers.contacts, { a, b } = params;
		const list = all.list.filter((c) => !a || (c.from === a && (!b || c.to === b)) || (c.to === a && (!b || c.from ===
			b)));
		return { ...all, list, count: a ? list.length : all.count };
	}
	const rest = path === 'prompt' ? [params.tick, params.agent, params.step]
		: path === 'world' ? [Math.floor(params.tick / file.every) * file.every] : path === 'turn'
		? [params.tick, params.agent] : path === 'agent' ? [params.agent] : [];
	const found = file.answers[[path, ...rest].join(' ')];
	const held = file.answers.held;
	if (!found) throw new Error((path === 'turn' ? 'This file holds ' + num(held.turns) + ' of ' + num(held.decisions)
		+ ' decisions, and not this one; About lists them. ' : 'This file does not hold it. ')
		+ 'Open the run itself: world_llm_agent_demo dashboard');
	return found;
}

export async function get(path, params, signal) {
	if (single) return fromFile(path, params || {});
	const q = new URLSearchParams();
	for (const [k, v] of Object.entries(params || {})) for (const one of Array.isArray(v) ? v
		: [v]) if (one !== undefined && one !== null) q.append(k, one);
	return answered(fetch('api/' + path + '?' + q, { signal }));
}

async function answered(asked) {
	const r = await asked.catch((e) => { throw e.name === 'AbortError' ? e
		: new Error('The server of this page does not answer; it may have ended.'); });
	const body = await r.json();
	if (!r.ok) throw new Error(body.error || r.statusText);
	return body;
}

// post asks for a change, which the server takes from its own page alone.
export const post = (path, value) =>
	answered(fetch('api/' + path,
		{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) }));

// useData asks again whenever its parameters or version change, and keeps the old answer until
// the new one is there. Of a new version it asks when the last answer came: versions may change
// faster than answers come.
export function useData(path, params, version) {
	const [state, set] = useState({});
	const key = params && path + ' ' + JSON.stringify(params);
	const now = useRef(null);
	useEffect(() => {
		if (!key) return;
		const c = new AbortController();
		const job = { version, got: false, busy: false, again: false, ask: () => {
			job.busy = true; job.again = false;
			get(path, params, c.signal).then(
				(data) => { job.got = true; set({ data, key }); },
				(error) => { if (error.name !== 'AbortError') set((s) => job.got ? s : { error: error.message, key }); },
			).then(() => { job.busy = false; if (job.again && !c.signal.aborted) job.ask(); });
		} };
		now.current = job;
		job.ask();
		return () => c.abort();
	}, [key]);
	useEffect(() => {
		const job = now.current;
		if (!key || !job || job.version === version) return;
		job.version = version;
		if (job.busy) job.again = true; else job.ask();
	}, [key, version]);
	return key && state.key === key ? state : { old: state.data };
}

// --- the stream: one connection for all tabs of a browser

const heard = new Set();
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('agentworld') : null;

// server is how the server stands: gone, and when it was heard last; of names this browser to it.
let server = { gone: false, at: Date.now(), of: '' };
let again = 0; // before then it is not asked whether it is there
const looking = new Set();
function stands(now) { server = { ...server, ...now }; for (const f of looking) f(server); }
const there = (of) => {
	if (server.gone || of !== server.of) stands({ gone: false, of });
	again = 0;
	server.at = Date.now();
};
let told = Date.now(); // when the page had its last news, or word that there is none
const tell = ({ ids, of }) => {
	there(of);
	told = server.at;
	for (const f of heard) f(ids);
};

function listen(lost) {
	const of = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
	const source = new EventSource('api/stream?of=' + of);
	const all = (ids) => { tell({ ids, of }); if (channel) channel.postMessage({ ids, of }); };
	source.onmessage = (e) => all(JSON.parse(e.data));
	source.onerror = () => {
		lost = true;
		if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(true), answerWithin); // it gave up
		probe();
	};
	source.onopen = () => { if (lost) all(['*', '?']); lost = false; }; // "?": anything may have changed
}

// The stream says something each ping, see streamIdle in hub.go, give or take what a network adds. A server that is
// silent for clearly longer was ended, hangs, or a proxy keeps the stream back: it is asked. That it answers says that
// it is there, not that anything changed. One that fails, or does not answer for a while, is called gone until it does:
// who looks at the page knows within about two seconds. A server that is gone is asked less and less often. Where the
// stream brings nothing for many pings although the server answers, a page has its news by asking.
const ping = 1000, silentFor = 1.3 * ping, answerSoon = 0.6 * ping, keptBack = 10 * ping;
const lookEvery = 50, answerWithin = 4000, probeMax = 30000;
let probing = false, wait = 0;
const missing = () => { if (!server.gone) stands({ gone: true }); };
async function probe() {
	if (probing || Date.now() < again) return;
	probing = true;
	const late = setTimeout(missing, answerSoon);
	try {
		await fetch('icon.svg', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(answerWithin) });
		wait = 0;
		if (Date.now() - told > keptBack) tell({ ids: ['*', '?'], of: server.of });
		else there(server.of);
	} catch {
		wait = Math.min(probeMax, 2 * wait || 1000);
		missing();
	}
	clearTimeout(late);
	again = Date.now() + wait;
	probing = false;
}
if (channel && !single) channel.onmessage = (e) => tell(e.data);
if (!single) {
	if (channel && navigator.locks) navigator.locks.request('agentworld-stream',
		() => { listen(false); return new Promise(() => {}); });
	else listen(false);
	setInterval(() => { if (Date.now() - server.at > silentFor) probe(); }, lookEvery);
}

// useServer is how the server stands.
export function useServer() {
	const [now, set] = useState(server);
	useEffect(() => { looking.add(set); set(server); return () => looking.delete(set); }, []);
	return now;
}

// saw tells the server that this browser has shown how its run ended, which it waits for.
export const saw = () => { if (!single) get('shown', { of: server.of }).catch(() => {}); };

// useClock is the time, which moves on each second while it runs.
export function useClock(runs) {
	const [now, set] = useState(Date.now());
	useEffect(() => {
		if (!runs) return;
		const timer = setInterval(() => set(Date.now()), 1000);
		return () => clearInterval(timer);
	}, [runs]);
	return now;
}

// useVersion counts how often a run, or the list ("*"), changed.
export function useVersion(id) {
	const [n, set] = useState(0);
	useEffect(() => {
		const f = (ids) => { if (ids.includes(id) || ids.includes('?')) set((n) => n + 1); };
		heard.add(f);
		return () => heard.delete(f);
	}, [id]);
	return n;
}

// --- how things are written

// clean shows what would steer or hide text by its number, and no pile of marks that covers other
// lines.
const plain = /^[\t\n -~]*$/, piled = /(\p{M}{4})\p{M}+/gu;
export function clean(t) {
	t = String(t ?? '');
	if (plain.test(t)) return t;
	return t.replace(hidden,
		(c) => { const hex = c.codePointAt(0).toString(16);
		return '\\u' + (hex.length > 4 ? '{' + hex + '}' : hex.padStart(4, '0')); }).replace(piled, '$1…');
}
// shown is a text among others, whose direction it does not turn.
export const shown = (t) => html`<bdi dir="ltr">${clean(t)}</bdi>`;
export const num = (n) => n === undefined || n === null ? '–' : Number(n).toLocaleString('en-US');
export const count = (n, what) => num(n) + ' ' + what + (n === 1 ? '' : 's');
export const short = (n) => Math.abs(n) >= 1e9 ? (n / 1e9).toFixed(1) + 'G' : Math.abs(n) >= 1e6
	? (n / 1e6).toFixed(1) + 'M' : Math.abs(n) >= 1e4 ? (n / 1e3).toFixed(0) + 'k' : String(Math.round(n * 100) / 100);
export const money = (micros, currency) => currency
	? (micros / 1e6).toFixed(micros < 1e6 ? 4 : 2) + ' ' + clean(currency) : '–';
export const ms = (n) => n >= 10000 ? (n / 1000).toFixed(0) + ' s' : n >= 1000 ? (n / 1000).toFixed(1) + ' s'
	: n + ' ms';
// span is a time in few words; clock is a moment of this machine.
export const span = (n) => n < 10000 ? (n / 1000).toFixed(1) + ' s' : n < 120000 ? Math.round(n / 1000) + ' s'
	: n < 7200000 ? Math.round(n / 60000) + ' min' : (n / 3600000).toFixed(1) + ' h';
export const clock = (t) => new Date(t).toLocaleTimeString('en-GB');
export const statusClass = (s) => s === 'completed' || s === 'passed' || s === 'done' ? 'good' : s === 'running' ||
	s === 'playing' ? 'live' : s === 'unfinished' || s === 'interrupted' || s === 'waiting' || s === 'undecided' ?
		'warn'
		: 'bad';
export const words = (s) => clean(s).replace(/_/g, ' ');
// said is a kind or code of the records as the page says it: in small letters, and refused in one word.
export const said = (s) => words(s).replace(/\b[A-Z]{2,}( [A-Z]+)*\b/g, (c) => c.toLowerCase())
	.replace(/\brejected\b/g, 'refused');

// stepText writes a step of an order: once, or repeated until an event.
function stepText(step) {
	if (step.max_ticks === 1) return actionText(step.do);
	const until = (step.until || [])
		.map((u) => words(u.event) + (u.value === undefined || u.value === null ? '' : ' ' + u.value)).join(' or ');
	return 'repeat ' + actionText(step.do) + ' until ' + until + ', at most ' + step.max_ticks + ' times';
}

// actionText writes an encoded action in a line, an order with all its steps.
export function actionText(raw) {
	let a = raw;
	if (typeof raw === 'string') { try { a = JSON.parse(raw); } catch { return clean(raw); } }
	if (!a || !a.action) return '–';
	if (a.action === 'execute_until') {
		const ignored = (a.ignore || []).length ? '; ' + a.ignore.map(words).join(', ') + ' ends none of it' : '';
		return clean([a, ...(a.then || [])].map(stepText).join(', then ') + ignored);
	}
	const rest = Object.entries(a).filter(([k, v]) => k !== 'action' && v !== '' && !(k + '_amount' in a))
		.map(([k, v]) => {
		const what = k.replace(/_amount$/, '');
		if (typeof v === 'string') return v;
		if (typeof v !== 'number') return words(k) + ' ' + JSON.stringify(v);
		if (what !== k && what in a) return what + ' ' + num(v) + ' ' + a[what];
		return k.endsWith('_g') ? num(v) + ' g' : k === 'amount' || a.action.includes(k) ? num(v) : words(k) + ' ' +
			num(v);
	});
	return clean(words(a.action) + (rest.length ? ' ' + rest.join(', ') : ''));
}

// noAnswer says that a turn failed and why: what the engine did instead is no choice of the agent.
export const noAnswer = (reason) => 'no answer (' + why(reason) + ')';
// why is the clause for the code of a failed turn or call, refused the one for that of a refused action. The
// tables are those of the terminal, see the package report/wording.
let table = {};
export const learn = async () => { table = await get('words').catch(() => ({})); };
const lookUp = (kinds, code) => kinds.map((k) => (table[k] || {})[code]).find(Boolean) || words(code);
const within = { llm_error: ['failures'], parse_error: ['answers'], seat_error: ['seats'] };
export function why(reason) {
	const [kind, ...rest] = String(reason || '').split(':');
	return within[kind] ? lookUp(within[kind], rest.join(':')) : lookUp(['turns', 'failures', 'answers'], reason);
}
// measured says what the score of a task measures.
export const measured = (metric) => {
	const [kind, ...resource] = String(metric).split(':');
	return (words(resource.join(':')) + ' ' + lookUp(['tasks'], kind)).trim();
};
export const refused = (code) => 'refused: ' + lookUp(['rejections', 'guard'], code);
// amounts are what was given, in few words.
export const amounts = (list) => (list || []).map((a) => short(a.amount) + ' ' + words(a.resource)).join(', ');

// Set are the settings that are not the default, as pills.
export const Set_ = ({ list }) => (list || []).map((s) =>
	html`<span class=${'pill set' + (s.warn ? ' warn' : '')}>${clean(s.name)}: ${clean(s.value)}</span> `);
export const Pill = ({ status }) => html`<span class=${'pill ' + statusClass(status)}>${words(status)}</span>`;
export const Note = ({ bad, children }) =>
	html`<p class=${'note' + (bad ? ' bad' : '')} role=${bad ? 'alert' : undefined}>${children}</p>`;
export const Waiting = ({ of, what }) => of.error ? html`<${Note} bad>${shown(of.error)}<//>`
	: html`<p class="empty">${what || 'Loading…'}</p>`;

const pageRows = 100;
export const heads = (...names) => names.map((n) => html`<th scope="col">${n}</th>`);
export const numHeads = (...names) => names.map((n) => html`<th scope="col" class="num">${n}</th>`);

// Rows is a list as a table, page by page: nobody can read ten thousand rows, and no browser draws
// them at once. row gives the cells of one.
export function Rows({ name, list, head, row, kind = 'rows' }) {
	const [at, set] = useState(0);
	const last = Math.max(0, Math.ceil(list.length / pageRows) - 1), page = Math.min(at, last), from = page * pageRows;
	const to = (n) => set(Math.min(Math.max(0, n), last));
	const turn = (n, text, label) =>
		html`<button type="button" aria-label=${label + ' of ' + name} aria-disabled=${page + n < 0 || page + n > last
			? 'true' : undefined} onClick=${() => to(page + n)}>${text}</button>`;
	const table = (rows) => html`<table><thead><tr>${head}</tr></thead><tbody>${rows.map((of) =>
		html`<tr>${row(of)}</tr>`)}</tbody></table>`;
	return html`<div class=${kind} tabindex="0" role="region" aria-label=${name} key=${page}>${
		table(list.slice(from, from + pageRows))}</div><${Csv} name=${name} of=${() => table(list)} />
		${last > 0 && html`<div class="bar small pages" role="group" aria-label=${'Pages of ' + name}>
			${turn(-1, '‹', 'Page before')}
			<label>page <input type="number" min="1" max=${last + 1} value=${page + 1} aria-label=${'Page of ' + name}
				onChange=${(e) => to(Number(e.target.value) - 1)} /></label>${turn(1, '›', 'Next page')}
			<span class="soft" role="status">
				${num(from + 1)} to ${num(Math.min(from + pageRows, list.length))} of ${num(list.length)}</span></div>`}`;
}

// sortable gives the head of a table whose columns sort, and its list in the order that was chosen. columns are
// names, each with what it sorts by, numbers the other way round, so that the largest come first, and with 'num' if
// they are numbers.
export function sortable(all, columns, key) {
	const { q } = useRoute(), [at, turned] = (q.get('sort-' + key) || '').split('-');
	const by = columns.findIndex(([name]) => name === at), sign = turned ? -1 : 1;
	const order = (a, b) => { const [x, y] = [columns[by][1](a), columns[by][1](b)];
	return sign * (typeof x === 'string' ? x.localeCompare(y, 'en', { numeric: true }) : x - y); };
	const head = columns.map(([name, of, kind], i) => html`<th scope="col" class=${kind}
		aria-sort=${i !== by ? undefined : turned ?
		'descending'
		: 'ascending'}>${of ? html`<button type="button" class="link"
			onClick=${() => go({ ['sort-' + key]: i !== by ? name : turned ? '' : name + '-turned' }, true)}>
				${name}${i === by ? turned ? ' ▴' : ' ▾' : ''}</button>` : name}</th>`);
	return { head, list: by < 0 ? all : [...all].sort(order) };
}

// failedClass says how bad a share of failed turns is, in percent.
export const failedClass = (pct) => (pct >= 50 ? 'bad' : pct >= 5 ? 'warn' : '');

const optionsMax = 300;

// Pick chooses an id of a list, or takes one that is written where nobody could find it in the list.
export const Pick = ({ ids, none, value, set }) => ids.length > optionsMax
	? html`<input placeholder=${none} value=${value} onChange=${(e) => set(e.target.value.trim())} />`
	: html`<select value=${value} onChange=${(e) => set(e.target.value)}><option value="">${none}</option>
		${ids.map((id) => html`<option value=${id}>${clean(id)}</option>`)}</select>`;

// css is a colour of the theme. Asking the browser for each of a thousand strokes would take longer
// than the strokes.
const colors = new Map();
export function css(name) {
	const key = name + ' ' + document.documentElement.dataset.theme;
	if (!colors.has(key)) colors.set(key, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
	return colors.get(key);
}

// useTheme gives the theme, which follows the system unless it was chosen.
export function useTheme() {
	const system = matchMedia('(prefers-color-scheme: dark)');
	const saved = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
	const [chosen, choose] = useState(saved());
	const [dark, setDark] = useState(system.matches);
	useEffect(() => {
		const see = (e) => setDark(e.matches);
		system.addEventListener('change', see);
		return () => system.removeEventListener('change', see);
	}, []);
	const theme = chosen || (dark ? 'dark' : 'light');
	document.documentElement.dataset.theme = theme;
	return [theme, (t) => { try { localStorage.setItem('theme', t); } catch { /* private window */ } choose(t); }];
}

// useSize watches the size of an element.
export function useSize(ref) {
	const [size, set] = useState({ width: 0, height: 0 });
	useEffect(() => {
		if (!ref.current) return;
		const o = new ResizeObserver(([e]) =>
			set({ width: Math.round(e.contentRect.width), height: Math.round(e.contentRect.height) }));
		o.observe(ref.current);
		return () => o.disconnect();
	}, []);
	return size;
}

// sharp makes a canvas as fine as the screen and returns its context in CSS pixels.
export function sharp(canvas, width, height) {
	const fine = window.devicePixelRatio || 1;
	if (canvas.width !== Math.round(width * fine) || canvas.height !== Math.round(height * fine)) {
		canvas.width = Math.round(width * fine);
		canvas.height = Math.round(height * fine);
	}
	const c = canvas.getContext('2d');
	c.setTransform(fine, 0, 0, fine, 0, 0);
	c.clearRect(0, 0, width, height);
	return c;
}
