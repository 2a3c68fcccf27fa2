// The figures of a run over time.
import { html, useMemo, go, num, count, span, shown, words, clean, heads, numHeads, Rows } from './lib.js';
import { Chart, Bars } from './chart.js';
import { aheadText } from './summary.js';

// own is the value of a metric of the user's own.
const own = (m) => (m.error ? 'failed: ' + clean(m.error) : m.value === null ? 'not counted'
	: num(m.value) + (m.unit ? ' ' + clean(m.unit) : ''));

// Waited says who the ticks waited for, and what that cost.
function Waited({ of }) {
	if (!of || !of.barrier || !of.barrier.ticks) return '';
	const b = of.barrier;
	return html`<section class="card broad"><h2>Who was waited for</h2><p>${'The ticks took ' + span(b.waited_ms)
		+ ' of turns, each as long as its slowest. '}${b.own_agent_bound_agent_id ?
			'If nobody waited for another, it would be '
			+ span(b.own_agent_bound_ms) + ', the turns of ' + clean(b.own_agent_bound_agent_id) + '.' : ''}</p>
		<${Rows} name="Who was waited for" list=${of.by_agent || []} head=${[heads('Agent'), numHeads(
			'Turns', 'Median', '95th percentile', 'Longest', 'Slowest in', 'Waited for it alone')]}
			row=${(a) => html`<td>${shown(a.agent_id)}</td>
			<td class="num">${num(a.turns)}</td><td class="num">${span(a.p50_ms)}</td><td class="num">${span(a.p95_ms)}</td>
			<td class="num">${span(a.longest_ms)}</td><td class="num">${num(a.slowest_ticks)} ticks</td>
			<td class="num">${span(a.awaited_ms)}</td>`} /></section>`;
}

// Ahead says what was asked ahead of the run, and what that was worth.
const Ahead = ({ a, currency }) => (a && a.depth ? html`<section class="card"><h2>Asked ahead</h2><p>${'Up to '
	+ count(a.depth, 'tick') + ' ahead: ' + aheadText({ ...a, wasted_tokens: a.wasted_input_tokens
		+ a.wasted_output_tokens }, currency)}${a.open ? ', ' + num(a.open) + ' open' : ''}. Calls in vain are beside the
		figures of the run.</p></section>` : '');

export function Figures({ run, tick, theme }) {
	const c = run.columns, x = c.tick;
	const pick = (t) => go({ tick: t, panel: '' });
	const share = useMemo(() => c.input.map((n, i) => (n ? Math.round(c.cached[i] / n * 1000) / 10 : 0)), [c]);
	const grown = (list) => { let n = 0; return list.map((v) => (n += v)); };
	const cost = useMemo(() => grown(c.cost_micros).map((n) => n / 1e6), [c]);
	const goals = useMemo(() => grown(c.goals), [c]);
	const empty = [];
	const chart = (title, series, unit) => {
		if (x.length > 1 &&
			series.some((s) => s.data.some((n) => n))) return html`<${Chart}
				...${{ title, series, unit, x, pick, theme, at: tick }} />`;
		empty.push(title.toLowerCase());
		return '';
	};
	const r = run.report, per = run.every > 1 ? 'per ' + run.every + ' ticks' : 'per tick';
	return html`
		${r && html`<dl class="stats card">
			${[['Cached share', r.tokens.input ? Math.round(r.tokens.cached / r.tokens.input * 100) + '%' : '–'],
				['Latency median', num(r.timing.llm_latency_ms.p50) + ' ms'],
					['95th percentile', num(r.timing.llm_latency_ms.p95) + ' ms'],
						['Continued without a call', num(r.continued_decisions)], ['Actions accepted', num(r.action_success)],
							['refused', num(r.action_failure)],
								...(r.own_metrics || []).map((m) => [words(m.name), own(m)])].map(([k, v]) =>
									html`<div><dt>${k}</dt><dd>${v}</dd></div>`)}</dl>`}
		<div class="charts">
			${chart('Tokens',
				[{ label: 'input', data: c.input }, { label: 'cached', data: c.cached }, { label: 'output', data: c.output },
					{ label: 'reasoning', data: c.reasoning }], per)}
			${chart('Cached share of input', [{ label: 'cached %', data: share }], 'percent')}
			${chart('Cost so far', [{ label: 'cost', data: cost }], run.row.currency || 'no prices')}
			${chart('Latency of calls',
				[{ label: 'median', data: c.latency_p50_ms }, { label: '95th percentile', data: c.latency_p95_ms }],
					'milliseconds')}
			${chart('Decisions',
				[{ label: 'by a model', data: c.decided }, { label: 'no decision', data: c.degraded },
					{ label: 'continued', data: c.continued }], per)}
			${chart('Errors and repairs',
				[{ label: 'failed calls', data: c.failed }, { label: 'asked again for a usable answer', data: c.repairs },
					{ label: 'refused by caps', data: c.refused }], per)}
			${chart('Actions refused and adjusted',
				[{ label: 'refused', data: c.rejected }, { label: 'refused, another ran instead', data: c.replaced },
					{ label: 'adjusted', data: c.adjusted }], per)}
			${c.score && chart('Score', [{ label: 'score', data: c.score }], 'so far')}
			${chart('Slowest turn of each tick', [{ label: 'slowest turn', data: c.slowest_ms || [] }], 'milliseconds')}
			${chart('Between agents', [{ label: 'said or offered', data: c.contacts }, { label: 'given', data: c.gifts }], per)}
			${chart('Goals met', [{ label: 'goals', data: goals, steps: true }], 'so far')}
			${chart('Price of electricity', [{ label: 'price', data: c.price }], 'data per 10, last trade')}
			${chart('Electricity traded', [{ label: 'traded', data: c.traded }], per)}
			<${Bars} title="Actions" counts=${run.counts.actions} />
			<${Bars} title="Waits that nobody chose" counts=${run.counts.waits} empty="Every turn ended in a decision." />
			<${Bars} title="Refused actions by reason" counts=${run.counts.rejections} />
			<${Bars} title="Errors of calls" counts=${run.counts.errors} />
			<${Bars} title="Answers that could not be used" counts=${run.counts.unusable} />
			<${Bars} title="Repairs of answers" counts=${run.counts.repairs} />
			<${Bars} title="Amounts adjusted" counts=${run.counts.adjusted} />
			<${Waited} of=${r && r.timing} />
			<${Ahead} a=${r && r.timing.ahead} currency=${run.row.currency} />
			${empty.length > 0 && html`<p class="soft small">Nothing to draw of: ${empty.join(', ')}.</p>`}
		</div>`;
}
