// A decision opened: from what came of it back to what it rests on, and on to what it led to.
import { html, useState, useData, go, href, num, count, money, ms, clean, shown, words, said, why, noAnswer, refused,
	Note,
	Sheet, Waiting, actionText } from './lib.js';
import { kindText } from './agent.js';
import { Asks } from './ask.js';

export function Decision({ id, tick, agent, run }) {
	const of = useData('turn', { run: id, tick, agent });
	const t = of.data;
	const to = (tk, a) => href('/run', { id, tick: tk, agent: a, open: 1 });
	const head = html`<div class="bar spread"><h2>${shown(agent)}, tick ${num(tick)}</h2>
		<button onClick=${() => go({ open: '' })}>Back to the agent</button></div>`;
	if (!t) return html`${head}<${Waiting} of=${of} />`;
	const d = t.decision;
	const steps = html`<div class="bar">
		${t.before ? html`<a href=${to(t.before, agent)}>‹ tick ${t.before}</a>` : ''}${t.after
			? html`<a href=${to(t.after, agent)}>tick ${t.after} ›</a>` : ''}</div>`;
	if (!d) return html`${head}${steps}<p>
		${shown(agent)} decided nothing in this tick: it was on its way, waiting, without power, or not due.</p>
			${t.before ? html`<p><a href=${to(t.before, agent)}>Its last decision was in tick ${t.before}.</a></p>` : ''}
				<${Events} list=${t.events} />`;
	const o = d.outcome || {};
	const kind = d.wait_reason ? 'wait' : d.failed_by ? 'fallback' : d.by ? 'alternative' : d.decided_by;
	// What the world refused before it took what ran, in the order in which it was tried.
	const tried = t.events.filter((e) => e.kind === 'action_rejected' && e.agent === agent && e.action && e.rejection)
		.slice(0, o.refused_before || 0);
	const cost = t.calls.reduce((n, c) => n + c.cost_micros, 0);
	const strangers = [...new Set(t.sources.filter((s) => s.trust === 'other_agent').map((s) => s.from_agent))];
	return html`${head}${steps}
		<section class=${'step ' + (o.accepted && !d.wait_reason && !tried.length ? 'good' : 'bad')}>
			${tried.map((e, i) => html`<p class="big">${i ? 'then ' : ''}${actionText(e.action)}</p><p>
				<span class="bad">${refused(e.rejection.code)}</span>${rejection(e.rejection)}</p>`)}
			${d.wait_reason ? html`<p class="big bad">${noAnswer(d.wait_reason)}</p><p>The engine had it wait.</p>`
				: html`<p class="big">${tried.length ? 'instead ' : ''}${actionText(d.executed)}</p>`}
			<p>${d.wait_reason ? '' : o.accepted ? html`<span class="good">Accepted</span>`
				: html`<span class="bad">${refused(o.rejection && o.rejection.code)}</span>
					${rejection(o.rejection)}`}${o.changes && o.changes.length
						? ': ' + o.changes.map((c) => (c.amount > 0 ? '+' : '') + num(c.amount) + ' ' +
							words(c.resource)).join(', ')
							: ''}${o.created ? ', made ' + clean(o.created) : ''}</p>
			<p class="soft small">
				${kindText[kind] || clean(kind)}${d.failed_by ? ' (' + clean(noAnswer(d.failed_by)) + ', took its ' +
					clean(d.by) + ')'
					: ''} · ${count(t.calls.length, 'call')} · ${num(d.tokens ? d.tokens.total : 0)} tokens${d.tokens &&
						d.tokens.cached ? ' (' + num(d.tokens.cached) + ' cached)' : ''} · ${money(cost, run.row.currency)}${
							d.timing
							? ' · ' + ms(d.timing.duration_ms) : ''}</p></section>
		<div class="turned"><div><h3>Why</h3>${d.why ? html`<blockquote class="step">${shown(d.why)}</blockquote>`
			: html`<p class="soft">It gave no reason.</p>`}
		${t.ordered_at ? html`<p>It continued the standing order of <a href=${to(t.ordered_at, agent)}>tick ${
			t.ordered_at}
			</a>.</p>` : ''}
		${same(d.proposed, d.executed) ? ''
			: html`<h3>From proposal to action</h3><${Sheet} name="From proposal to action"><tbody><tr>
				<th scope="row">proposed</th><td>${
				actionText(d.proposed)}
				</td></tr>${same(d.proposed, d.adjusted) ? ''
					: html`<tr><th scope="row">adjusted</th><td>${actionText(d.adjusted)}</td></tr>`}<tr><th
						scope="row">executed</th>
						<td>${actionText(d.executed)}</td></tr></tbody><//>`}
		${d.adjustments && d.adjustments.length > 0 &&
			html`<ul>${d.adjustments.map((a) => html`<li>
				${words(a.field)}: ${num(a.from)} → ${num(a.to)} (limit: ${words(a.bound)})</li>`)}</ul>`}
		${d.authority &&
			html`<p class="small">Allowed by: <b>${allowedBy[d.authority.by] || words(d.authority.by)}</b>
				${d.authority.asker
					? html`, on the word of <b>${shown(d.authority.asker)}
						</b> (${shown(d.authority.terms || '')}${d.authority.rule ? ', rule ' + d.authority.rule : ''})`
							: ''}${d.authority.planned ? ', planned action ' + d.authority.planned : ''}${
							d.authority.by === 'unguarded' && strangers.length ? html`. In view were texts of <b>${
								shown(strangers.join(', '))}</b>` : ''}</p>`}
		<h3>Sources in view (${num(t.sources.length)}), used ${num(t.sources.filter((s) => s.used).length)}</h3>
			<${Sources} list=${t.sources} ...${{ id, agent, tick }} />
		${(d.sources_invented || d.sources_unknown)
			? html`<${Note}>It cited ${num((d.sources_invented || 0) +
				(d.sources_unknown || 0))} sources that were not in view, ${num(d.sources_invented ||
					0)} of them exist nowhere.<//>` : ''}
		<h3>What it led to</h3>
			${t.led_to.length === 0 ? html`<p class="soft">No later decision used anything of it.</p>`
				: html`<ul>${t.led_to.map((u) => html`<li><a href=${to(u.tick, u.agent)}>tick ${u.tick}, ${shown(u.agent)}
					</a> used <code>${shown(u.source)}</code></li>`)}</ul>`}
		<${Events} list=${t.events} /></div><div>
		<h3>Turn</h3>${t.calls.length === 0 ? html`<p class="soft">No model was asked.</p>`
			: t.calls.map((c) =>
				html`<${Call} key=${c.step} c=${c} steps=${t.steps.filter((s) => s.step === c.step)}
					...${{ id, tick, agent, run }} />`)}
		${t.steps.filter((s) => !t.calls.some((c) => c.step === s.step)).map((s) => html`<${Step} s=${s} />`)}
		${t.refusals.map((r) =>
			html`<div class="step bad">Refused by the cap ${shown(words(r.cap))}: ${num(r.requested)} needed, ${
				num(r.available)}
				of ${num(r.limit)} left</div>`)}
		</div></div>
		<${Asks} ...${{ id, tick, agent }} />`;
}

const allowedBy = {
	own: 'the agent itself, no text of others was in view', plan: 'its plan',
		unguarded: 'nobody: texts or terms of others were in view, and a check of the guard was off',
		deviation: 'its plan, from which it deviates', unplanned: 'no plan, it needs none',
	rule: 'a rule of the scenario', fallback: 'the engine, as the best that was left',
};
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const rejection = (r) => r
	? html`<span class="soft"> ${r.field ? words(r.field) + ' ' : ''}${r.requested !== undefined
		? 'asked ' + num(r.requested) + ' ' : ''}${r.available !== undefined ? 'available ' + num(r.available) + ' '
			: ''}${r.maximum !== undefined ? 'limit ' + num(r.maximum) + ' ' : ''}${shown(r.unit || '')}</span>` : '';
const trustClass = { other_agent: 'warn', tool_error: 'bad', derived: '', self_observation: 'good', rules: 'good' };

function Sources({ list, id, agent, tick }) {
	if (!list.length) return html`<p class="soft">None.</p>`;
	const rows = [...list].sort((a, b) => b.used - a.used);
	return html`<${Sheet} name="Sources"><thead><tr>
		<th scope="col">Source</th><th scope="col">Trust</th><th scope="col">From</th></tr></thead><tbody>
			${rows.map((s) => html`<tr key=${s.id}><td><code>${shown(s.id)}
				</code> ${s.used ? html`<span class="pill good">used</span>` : ''}<br /><span class="small">
					${s.title ? html`<b>${shown(s.title)}</b> ` : ''}${shown(s.preview)}</span>
						${s.parents && s.parents.length
							? html`<br /><span class="soft small">made from ${s.parents.map(clean).join(', ')}</span>` : ''}</td>
		<td class="small"><span class=${trustClass[s.trust] || ''}>${words(s.trust)}</span><br /><span class="soft">
			${words(s.kind)}</span></td>
		<td class="small">
			${s.from_tick > 0 && !(s.from_tick === tick && s.from_agent === agent)
				? html`<a href=${href('/run',
					{ id, tick: s.from_tick, agent: s.from_agent, open: 1 })}>tick ${s.from_tick}, ${shown(s.from_agent)}</a>`
						: 'this turn'}</td></tr>`)}</tbody><//>`;
}

const pretty = (text) => { try { return JSON.stringify(JSON.parse(text), null, 1); } catch { return text; } };

// Detail shows what a step found: a plan and a draft as people read them, anything else as it is.
function Detail({ s }) {
	const d = s.detail;
	if (!d) return '';
	if (s.kind === 'plan' && d.actions) return html`<p class="small">
		${d.goal ? html`“${shown(d.goal)}” ` : ''}${d.actions.length} planned:</p><ol class="small">
			${d.actions.map((a) => html`<li>${actionText(a)}</li>`)}</ol>`;
	if (s.kind === 'decision_draft' && d.candidates) return html`<${Sheet} name="Candidates" kind="wide small"><thead><tr>
		<th scope="col">Candidate</th><th scope="col">Dry run</th></tr></thead><tbody>
			${d.candidates.map((c) => html`<tr><td>${c.n}. ${actionText(c.action)}</td><td>
				<span class=${c.status === 'accepted' ? 'good' : c.status === 'rejected' ? 'bad' : 'warn'}>${said(c.status)}
					</span> ${shown((c.changes || []).map((x) => (x.amount > 0 ? '+' : '') + num(x.amount) + ' ' +
						words(x.resource))
						.join(', '))} ${c.rejection ? words(c.rejection.code) : ''}${c.ticks ? ', ' + c.ticks + ' ticks' :
							''}</td>
							</tr>`)}</tbody><//>`;
	const flat = typeof d === 'object' &&
		Object.values(d).every((v) => typeof v === 'number' || typeof v === 'string' || typeof v === 'boolean');
	const text = flat ? Object.entries(d).map(([k, v]) => words(k) + ' ' + clean(v)).join(', ') :
		clean(JSON.stringify(d));
	return text.length < 140 ? html` <span class="small soft">${text}</span>`
		: html`<details><summary>Details</summary><pre tabindex="0">${shown(JSON.stringify(d, null, 1))}</pre></details>`;
}

function Step({ s }) {
	return html`<div
		class=${'step ' + (s.status === 'error' || s.level === 'warn' ? 'bad' : s.status === 'degraded' ? 'warn' : '')}>
			<span class="small"><b>${words(s.kind)}
				</b> ${shown(s.name || '')} ${s.status !== 'ok' ? html`<b>${s.status}</b>`
					: ''} ${shown(said(s.code || ''))} ${s.repairs && s.repairs.length ? 'repaired: ' +
						clean(s.repairs.join(', '))
						: ''} </span><${Detail} s=${s} /></div>`;
}

function Call({ c, steps, id, tick, agent, run }) {
	const [open, setOpen] = useState(false);
	const fail = c.answer.failure;
	const u = c.answer.usage;
	return html`<div class=${'step' + (fail ? ' bad' : '')}>
		<p><b>${c.step}. ${words(c.stage)}</b> <span class="soft small">
			${shown(c.model)} · ${num(u.input)} in${u.cached ? ' (' + num(u.cached) + ' cached)'
				: ''}, ${num(u.output)} out${u.reasoning ? ' (' + num(u.reasoning) + ' reasoning)'
					: ''} · ${money(c.cost_micros, run.row.currency)}${c.timing
						? ' · ' + ms(c.timing.latency_ms) + (c.timing.attempts > 1 ? ', ' + c.timing.attempts + ' attempts' : '')
							+ (c.timing.recorded ? ', recorded' : '') : ''}
							</span></p>
		${fail && html`<p class="bad">${why(fail.kind)}: ${shown(fail.message || '')}</p>`}
		${c.text && html`<pre>${shown(c.text)}</pre>`}
		${c.tool_calls.map((t) => html`<details class="box"><summary><b>${shown(t.name)}</b> <code class="soft">
			${shown(t.call_id)}</code>${t.tool && t.tool.code ? html` <span class="bad">${words(t.tool.code)}</span>` : ''}
			</summary>${t.tool && html`<p class="small">tool ${shown(t.tool.of)} <span class="soft">
				· ${shown(t.tool.trust)} · ${ms(t.tool.latency_ms)}</span></p>`}
				<p class="soft small">arguments</p><pre tabindex="0">
				${shown(pretty(t.arguments))}</pre>
					${t.tool && t.tool.returned && html`<p class="soft small">what the tool returned</p><pre tabindex="0">
						${shown(t.tool.returned)}</pre>`}
					${t.result ? html`<p class="soft small">result</p><pre tabindex="0">${shown(pretty(t.result))}</pre>`
						: html`<p class="soft small">Nothing was sent back: it ended the turn.</p>`}</details>`)}
		${steps.map((s) => html`<${Step} s=${s} />`)}
		<details class="box" onToggle=${(e) => setOpen(e.target.open)}>
			<summary>The exact prompt (${num(c.input_chars)} characters${c.sections && c.sections.some((s) => s.clipped)
				? ', ' + c.sections.filter((s) => s.clipped).length + ' sections cut' : ''})</summary>
					${open && html`<${Prompt} ...${{ id, tick, agent, step: c.step }} />`}</details>
	</div>`;
}

function Prompt({ id, tick, agent, step }) {
	const of = useData('prompt', { run: id, tick, agent, step });
	if (!of.data) return html`<${Waiting} of=${of} />`;
	const p = of.data;
	return html`<${Sheet} name="Sections of the prompt"><thead><tr><th scope="col">Section</th>
		<th scope="col" class="num">Tokens at most</th>
		<th scope="col" class="num">Characters</th><th scope="col" class="num">Characters left
			out</th></tr></thead><tbody>
			${(p.sections || [])
				.map((s) => html`<tr><td>${shown(s.name)}</td><td class="num">${num(s.tokens)}</td><td class="num">${
					num(s.chars)}
					</td><td class="num">${s.clipped_chars ? html`<span class="warn">${num(s.clipped_chars)}</span>` : '–'}</td>
						</tr>`)}</tbody><//>
		<h4>Instructions</h4><pre tabindex="0">${shown(p.instructions)}</pre>
		${p.input.map((i, n) => html`<h4>Input ${n + 1}: ${shown(words(i.kind))} ${shown(i.role || i.name || '')} <code>
			${shown(i.call_id || '')}</code></h4><pre tabindex="0">${shown(i.text)}</pre>`)}
		${p.output.map((i, n) => html`<h4>Answer ${n + 1}: ${shown(words(i.kind))} ${shown(i.name || '')}</h4>
			<pre tabindex="0">${shown(i.text)}</pre>`)}
		<details><summary>Tools</summary><pre tabindex="0">${shown(pretty(p.tools))}</pre></details>`;
}

function Events({ list }) {
	if (!list.length) return '';
	return html`<h3>Events of the tick</h3><ul class="small">
		${list.map((e) => html`<li>
			${shown(said(e.kind))} ${shown([e.action && actionText(e.action), e.detail, e.subject, e.place].filter(Boolean)
				.join(' · '))}${e.rejection ? html` <span class="bad">${words(e.rejection.code)}</span>` : ''}${e.text
					? html`: “${shown(e.text)}”` : ''}${e.trade ? ' ' + num(e.trade.amount) + ' at ' + e.trade.price :
						''}</li>`)}
						</ul>`;
}
