// What happened in a run: its outcome in a sentence, what is under way, and a table of its agents.
import { html, useEffect, useState, useClock, useServer, go, href, num, count, money, amounts, span, short, shown,
	clean, words, measured,
	why,
	noAnswer, Rows, sortable, failedClass } from './lib.js';

const sum = (list) => (list || []).reduce((a, b) => a + b, 0);

// failedShare is the share of failed turns in percent, and how bad that is: what ended in the best a turn had
// is no reason to call the run a failure.
export function failedShare(run) {
	const waits = sum(run.columns.degraded), rescued = sum(run.columns.rescued), failed = waits + rescued;
	const turns = waits + sum(run.columns.decided), pct = turns ? 100 * failed / turns : 0;
	const bad = waits > 0 && 100 * waits / turns >= run.row.max_failed_pct;
	return { failed, rescued, turns, pct, kind: bad ? 'bad' : failedClass(pct) };
}

// ended says how a run ended, and what to do next.
function ended(run) {
	const { row, end } = run, reason = (end && end.reason) || (run.report && run.report.run_reason) || '';
	const again = html`<code>world_llm_agent_demo resume RUN</code>`;
	const at = 'after tick ' + num(run.tick) + (row.ticks_requested ? ' of ' + num(row.ticks_requested) : '');
	switch (row.status) {
	case 'running': return [html`Running: tick ${num(run.tick + 1)} of ${num(row.ticks_requested)} is played.`];
	case 'completed': return [html`Completed: all ${num(run.tick)} ticks were played.`];
	case 'unfinished': return [html`<b>Not finished</b>: its process ended ${at} without a word, killed perhaps.`,
		html`${again} goes on with it.`];
	case 'budget_exhausted': return [html`<b>Stopped by a cap</b> ${at}: ${shown(reason)}.`,
		html`${again} with a higher cap goes on: ${capFlags(run)}. Without one it would stop at once.`];
	case 'interrupted': return [html`<b>Interrupted</b> ${at}.`, html`${again} goes on with it.`];
	case 'provider_failed': return [html`<b>The provider failed</b> ${at}: ${shown(reason)}.`,
		html`<code>world_llm_agent_demo doctor</code> checks the endpoint; ${again} then goes on.`];
	case 'no_usable_answers': return [html`<b>No answer was usable</b> ${at}: ${shown(reason)}.`,
		html`<code>world_llm_agent_demo doctor</code> says what to change.`];
	case 'damaged': return [html`<b>The trace is damaged.</b> What is shown is what could be read.`];
	case 'gone': return [html`<b>Removed while it was looked at.</b>`];
	}
	return [html`<b>${words(row.status)}</b> ${at}${reason ? ': ' : ''}${shown(reason)}`];
}

// capFlags are the flags that raise the caps of a run.
const capFlags = (run) => {
	const set = (run.row.set || []).find((s) => s.name === 'caps') || { value: '' };
	const unit = { calls: 'calls', tokens: 'tokens' };
	const flags = ['run', 'agent', 'tick'].flatMap((scope) => Object.entries({ ...unit, cost: 'cost' })
		.map(([u, name]) => '--cap' + (scope === 'run' ? '' : '-' + scope) + '-' + name));
	const named = flags.filter((f) => clean(run.end && run.end.reason).includes(f));
	return html`${(named.length ? named : ['--cap-calls', '--cap-tokens', '--cap-cost']).map((f, i) =>
		html`${i ? ' or ' : ''}<code>${f} N</code>`)}${set.value ? html` (it had ${shown(set.value)})` : ''}`;
};

// Score is the score of a task on the scale of others.
function Score({ run }) {
	const task = run.report && run.report.task, list = run.columns.score;
	if (!task && !list) return '';
	const now = task ? task.score : list[list.length - 1], b = task && task.baselines;
	const marks = b ? [['nothing', b.nothing], ['greedy', b.greedy], ['scripted', b.scripted],
		['best known', b.best], ['bound', b.bound]].filter(([, v]) => v !== undefined && v !== null && v >= 0) : [];
	const most = Math.max(now, 1, ...marks.map(([, v]) => v));
	return html`<div class="scale"><p>Score <b class="big">${num(now)}</b>${' '}${task ? html`<span class="soft">${
		shown(measured(task.metric))}${task.complete ? '' : html`, <b class="warn">cut short: ${num(run.tick)} of
				the ${num(task.ticks)} ticks that count</b>`}</span>` : html` <span class="soft">so far</span>`}
		${marks.map(([k, v]) => html` <span class="pill">${k} ${num(v)}</span>`)}</p>
		${marks.length > 0 && html`<svg viewBox="0 0 100 5" preserveAspectRatio="none" role="img"
			aria-label=${'score ' + now + ' on a scale to ' + most}><rect x="0" y="1.5" width="100" height="2" class="rail"
				/>
				<rect x="0" y="1.5" width=${100 * now / most} height="2" class="fill" />${marks.map(([, v]) =>
					html`<rect x=${Math.min(99.7, 100 * v / most)} y="0" width=".3" height="5" class="tick"
						/>`)}</svg>`}</div>`;
}

// Failures says why turns failed, and leads to the first.
function Failures({ id, run }) {
	const { failed, rescued, turns, pct, kind } = failedShare(run);
	if (!failed) return turns ? html`<p class="good">Every turn ended in a decision.</p>` : '';
	const reasons = Object.entries(run.counts.failures).sort((a, b) => b[1] - a[1]);
	const told = reasons.slice(0, 4).map(([r, n]) => why(r) + ' (' + num(n) + ')').join(', ');
	const first = run.marks.find((m) => m.kind === 'failure');
	const lost = run.shares.reduce((n, s) => n + s.failed_micros, 0);
	return html`<p><b class=${kind}>${num(failed)} of ${num(turns)} turns failed (${pct.toFixed(0)}%)</b>${': ' + told
		+ (reasons.length > 4 ? ', and other reasons. ' : '. ')}${rescued ? num(rescued)
			+ ' of them ended in the best they had. ' : ''}${first ? html`First failure: ${''}<a href=${href('/run',
				{ id, tick: first.tick, agent: first.agent, open: 1 })}>tick ${num(first.tick)}, ${shown(first.agent)}</a>. ` : ''}
		${lost > 0 ? 'They cost ' + money(lost, run.row.currency) + '. ' : ''}${kind === 'bad' ? html`<b class="bad">A run in
			which ${run.row.max_failed_pct}% of the turns have no answer is no success (<code>--max-degraded</code>).</b>`
				: ''}</p>`;
}

const states = {
	asked: (t) => ['asked, no answer yet', t.since_ms], thinking: (t) => ['thinking on after its ' + stage(t),
		t.since_ms],
	failed: (t) => ['call failed: ' + why(t.failure), t.since_ms], decided: (t) => ['answered its ' + stage(t),
		t.since_ms],
};
const stage = (t) => words({ decision_draft: 'draft', turn: 'decision', module_call: 'look-up', reason: 'reasoning',
	seat: 'move' }[t.stage] || t.stage);

// Live is the tick that is played, agent by agent.
function Live({ run }) {
	const server = useServer(), now = useClock(!server.gone);
	const [began] = useSince(run.seen_at, run.live);
	const v = run.live;
	if (!v) return '';
	const past = (ms) => ms < 0 ? '' : span(ms + (server.gone ? 0 : Math.max(0, now - began)));
	return html`<section class="live" aria-label="The tick that is played">
		<p>${server.gone ? 'Last seen: ' : ''}<b>Tick ${num(v.tick)}</b>${v.began_ms < 0 ? '' : ' for ' +
			past(v.began_ms)}:${' '}
			${v.waiting ? html`<b>${num(v.waiting)} of ${num(v.due)}</b> agents are waited for` : v.due
				? 'all ' + num(v.due) + ' have answered' : 'no agent has to decide'}. ${[
				'Elapsed ' + (past(v.started_ms) || 'unknown'), v.left_ms < 0 ? 'time left unknown'
					: 'about ' + span(v.left_ms) + ' left', short(v.tokens_per_minute) + ' tokens' + (run.row.currency
						? ', ' + money(v.micros_per_minute, run.row.currency) : '') + ' a minute'].join(' · ')}${v.ahead ? ' · ' +
						aheadText(v.ahead, run.row.currency) : ''}</p>
		<ul class="plain turns">${v.turns.slice(0, 24).map((t) => {
			const [text, ms] = states[t.state](t);
			return html`<li class=${t.state}><button class="link" onClick=${() => go({ agent: t.agent, open: '' })}>
				${shown(t.agent)}</button> ${text}${ms < 0 || t.state === 'decided' ? '' : ', ' + past(ms)}${t.calls > 1
					? html` <span class="soft">(${num(t.calls)} calls)</span>` : ''}</li>`; })}${v.due > 24
						? html`<li class="soft">and ${num(v.due - 24)} others</li>` : ''}</ul></section>`;
}

// aheadText says what became of the calls that were asked ahead.
export const aheadText = (a, currency) => 'asked ahead ' + count(a.asked, 'call') + ', ' + num(a.used) + ' used, '
	+ num(a.wasted) + ' in vain (' + short(a.wasted_tokens) + ' tokens' + (currency
		? ', ' + money(a.wasted_micros, currency) : '') + '), ' + span(a.saved_ms) + ' saved';

// useSince is the moment at which an answer came.
function useSince(key, value) {
	const [at, set] = useState({ value, at: Date.now() });
	if (at.value !== value) { at.value = value; at.at = Date.now(); set(at); }
	return [at.at];
}

const columns = [
	['Agent', (s) => s.agent], ['Goals', (s, g) => -(g.get(s.agent) || []).filter((x) => x.met_at >= 0).length],
	['Turns', (s) => -s.turns, 'num'], ['Failed', (s) => -s.failed, 'num'], ['Refused', (s) => -s.refused, 'num'],
	['Last', (s) => -(s.last ? s.last.tick : 0)], ['Gave', (s) => -(s.gave || []).length],
	['Got', (s) => -(s.got || []).length], ['Tokens', (s) => -s.tokens, 'num'],
	['Cost', (s) => -s.cost_micros, 'num'],
];

// Agents is the table of the agents over the run.
export function AgentsTable({ id, run }) {
	const goals = Map.groupBy ? Map.groupBy(run.goals, (g) => g.agent_id) : grouped(run.goals);
	const { head, list } = sortable(run.shares,
		columns.map(([name, by, kind]) => [name, (s) => by(s, goals), kind]), 'agents');
	const met = (s) => { const of = goals.get(s.agent) || [];
	return of.length === 0 ? html`<span class="soft">none</span>` : of.map((g, i) => html`${i ? html`<br />` : ''}
		<span class=${g.met_at >= 0 ? 'good' : ''} title=${clean(g.goal.text || g.goal.id)}>${g.met_at >= 0
			? 'met in tick ' + num(g.met_at) : num(g.now) + ' of ' + num(g.goal.at_least)}</span>`); };
	return html`<${Rows} name="Agents over the run" kind="wide agents" ...${{ list, head }}
		row=${(s) => html`<td><a href=${href('/run', { id, agent: s.agent })}>${shown(s.agent)}</a>${s.name
			? html` <span class="soft small">${shown(s.name)}</span>` : ''}</td><td class="small">${met(s)}</td>
			<td class="num">${num(s.turns)}${s.continued ? html`<br /><span class="soft small">${'+' + num(s.continued) +
				' continued'}</span>` : ''}</td>
			<td class=${'num ' + failedClass(s.turns ? 100 * s.failed / s.turns : 0)}>${
				s.first_failed
				? html`<a href=${href('/run', { id, agent: s.agent, tick: s.first_failed, open: 1 })}>${num(s.failed)}</a>` :
					0}</td>
			<td class="num">${num(s.refused)}</td><td class="small">${s.last ? html`<a href=${href('/run',
				{ id, agent: s.agent, tick: s.last.tick, open: 1 })}>tick ${num(s.last.tick)}</a> ${s.last.kind === 'wait'
					? html`<span class="bad">${noAnswer(s.last.failed)}</span>` : words(s.last.action)}` : '–'}</td>
			<td class="small">${amounts(s.gave) || '–'}</td><td class="small">${amounts(s.got) || '–'}</td>
			<td class="num" data-csv=${s.tokens}>${short(s.tokens)}</td>
			<td class="num">${money(s.cost_micros, run.row.currency)}</td>`} />
		${run.agents.length > run.shares.length && html`<p class="soft small">${'The ' + num(run.shares.length) + ' of '
			+ num(run.agents.length) + ' agents with the most failed turns.'}</p>`}`;
}

function grouped(list) {
	const of = new Map();
	for (const g of list) of.set(g.agent_id, [...(of.get(g.agent_id) || []), g]);
	return of;
}

// Whole is that table, which has rows while it is open.
function Whole({ id, run, open }) {
	const [is, set] = useState(open);
	useEffect(() => set(open), [open]);
	return html`<details open=${is} onToggle=${(e) => set(e.target.open)}><summary>Agents over the run
		(${num(run.agents.length)})</summary>${is && html`<${AgentsTable} ...${{ id, run }} />`}</details>`;
}

// acted says whether an agent did anything but wait.
const acted = (run) => Object.entries(run.counts.actions).some(([name, n]) => n && name !== 'wait' && name !==
	'wait_ticks');

// Summary says what happened, above all views of a run.
export function Summary({ id, run, open }) {
	const [said, next] = ended(run), met = run.goals.filter((g) => g.met_at >= 0).length;
	const refused = sum(run.columns.rejected), gifts = sum(run.columns.gifts);
	return html`<section class="card summary" aria-label="What happened">
		<p class="lead">${said} ${run.tick > 0 && !acted(run) ? html`<b class="bad">Nobody acted.</b> ` : ''}${
			run.goals.length
			? html`${num(met)} of ${num(run.goals.length)} goals met. ` : ''}${refused ? html`${'The world refused ' +
				count(refused, 'action')}. ` : ''}${gifts ? html`<a href=${href('/run', { id, panel: 'contacts' })}>
					${count(gifts, 'time')} something was given</a>. ` : ''}</p>
		${next && html`<p>Next: ${next}</p>`}
		<${Live} run=${run} />
		<${Score} run=${run} />
		<${Failures} ...${{ id, run }} />
		<${Whole} ...${{ id, run }} open=${open && run.agents.length <= 20} /></section>`;
}
