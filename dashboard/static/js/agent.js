// An agent: what it holds, over time, and its decisions as a lane.
import { html, useEffect, useMemo, useRef, useData, useVersion, useSize, go, num, money, ms, shown, words, noAnswer,
	refused,
	css,
	sharp, Png, Sheet,
	Note, Waiting, actionText } from './lib.js';
import { Chart } from './chart.js';
import { powerClass } from './run.js';
import { Asks } from './ask.js';

const kindColor = { model: '--c1', seat: '--c1', standing: '--rest', fallback: '--warn', alternative: '--c1',
	wait: '--bad', engine: '--bad' };
export const kindText = { model: 'decided by the model', seat: 'decided by its seat',
	standing: 'continued a standing order',
	fallback: 'the best it had, after a failed turn', alternative:
		'its choice was refused, another of its candidates ran',
		wait: 'no answer, so the engine had it wait', engine: 'no answer, so the engine had it wait' };

export function Agent({ id, tick, agent, run, world, theme }) {
	const version = useVersion(id);
	const of = useData('agent', { run: id, agent }, version);
	const data = of.data || of.old;
	const now = world && world.agents.find((a) => a.id === agent);
	const i = world ? world.agents.indexOf(now) : -1;
	const pick = (t) => go({ tick: t }, true);
	const goals = run.goals.filter((g) => g.agent_id === agent);
	return html`
		<div class="bar spread"><h2>${shown(agent)}${now && now.name ? html` · ${shown(now.name)}` : ''}</h2>
			<button onClick=${() => go({ agent: '' })}>All agents</button></div>
		${now && html`
			<p>${now.journey
				? html`On its way from <b>${shown(now.journey.from)}</b> to <b>${shown(now.journey.to)}
					</b>, arrives in tick ${now.journey.arrives}` : html`At <b>${shown(now.place)}</b>`}${now.wait_until
						? html`, waits until tick ${now.wait_until}` : ''}${now.repeats
							? html`, repeats ${words(now.repeats)} (${num(now.left || 0)} left)` : ''}</p>
			<div class="meter"><span>charge</span>
				<meter min="0" max=${now.power_capacity} value=${now.electricity} aria-label="charge"></meter>
					<span class=${powerClass(now.power_state)}>
						${num(now.electricity)} / ${num(now.power_capacity)}${now.power_state === 'normal' ? '' : ', ' +
							now.power_state}
							</span>
			<span>heat</span><meter min="0" max=${now.heat_capacity} value=${now.heat} aria-label="heat"></meter><span>
				${num(now.heat)} / ${num(now.heat_capacity)}</span></div>
			<dl class="stats">
				${[['Compound', num(now.compound_g / 1000) + ' kg'], ['Hardware', num(now.hardware)], ['Data', num(now.data)],
					...now.products.map((p) => [words(p.resource), num(p.amount)])].map(([k, v]) => html`<div><dt>${
						k}</dt><dd>${v}
						</dd></div>`)}</dl>
			<p>${world.did[i].tick
				? html`Tick ${world.did[i].tick}: ${world.did[i].failed ? html`<span class="bad">${
					noAnswer(world.did[i].failed)}
					</span>, then ` : ''}${actionText(world.did[i].action)} ${world.did[i].accepted
					? html`<span class="good">accepted</span>` : html`<span class="bad">refused: ${
						words(world.did[i].code)}</span>`}`
						: 'It has not acted yet.'} <button onClick=${() => go({ tick: world.did[i].tick || tick, open: 1 })}
							disabled=${!world.did[i].tick}>Open the decision</button></p>`}
		${goals.length > 0 &&
			html`<h3>Goals</h3><ul class="plain">
				${goals.map((g) => html`<li class="small"><span class=${g.met_at >= 0 ? 'good' : 'soft'}>
					${g.met_at >= 0 ? '✓ tick ' + g.met_at : '○'}
						</span> ${shown(g.goal.text || g.goal.id)} <span
							class="soft">(now ${num(g.now)}, wanted ${num(g.goal.at_least)})</span></li>`)}</ul>`}
		${!data ? html`<${Waiting} of=${of} />` : html`
			<h3>Decisions</h3>
			<${Lane} lane=${data.lane} last=${run.tick} ...${{ tick, theme }} />
			${data.full && html`<${Note}>The run has more decisions than the page keeps; the last are missing here.<//>`}
			<${Near} lane=${data.lane} ...${{ tick, run }} />
			<h3>Over time</h3>
			<${Chart} title="Charge and heat" x=${data.columns.tick}
				series=${[{ label: 'charge', data: data.columns.electricity }, { label: 'heat', data: data.columns.heat }]}
					at=${tick} ...${{ pick, theme }} />
			<${Chart} title="Compound" unit="grams" x=${data.columns.tick}
				series=${[{ label: 'compound', data: data.columns.compound_g }]} at=${tick} ...${{ pick, theme }} height=${
					110} />
			<${Chart} title="Stocks" x=${data.columns.tick}
				series=${[{ label: 'hardware', data: data.columns.hardware }, { label: 'data', data: data.columns.data },
					{ label: 'products', data: data.columns.products }]} at=${tick} ...${{ pick, theme }} height=${120} />`}
		<${Asks} ...${{ id, agent }} now=${tick} />`;
}

// Lane draws each decision as a bar: its colour says who decided, its height how long it took.
function Lane({ lane, last, tick, theme }) {
	const box = useRef(null), canvas = useRef(null);
	const { width } = useSize(box);
	useEffect(() => {
		if (!width) return;
		const c = sharp(canvas.current, width, 58), span = Math.max(1, last);
		const longest = Math.max(1, ...lane.map((e) => e.duration_ms || 0)),
			w = Math.max(1.5, Math.min(12, width / span - 1));
		for (const e of lane) {
			const x = (e.tick - 1) / span * width, h = 10 + 34 * Math.sqrt((e.duration_ms || 0) / longest);
			c.fillStyle = css(kindColor[e.kind] || '--soft'); c.fillRect(x, 50 - h, w, h);
			if (!e.accepted) { c.fillStyle = css('--bad'); c.fillRect(x, 52, w, 5);
			} else if (e.adjusted) { c.fillStyle = css('--warn'); c.fillRect(x, 52, w, 5); }
		}
	}, [width, lane, last, theme]);
	const click = (e) => {
		const at = e.offsetX / width * Math.max(1, last) + 1;
		const near = lane.reduce((a, b) => (Math.abs(b.tick + .5 - at) < Math.abs(a.tick + .5 - at) ? b : a), lane[0]);
		if (near) go({ tick: near.tick, open: 1 });
	};
	return html`<div class="lane" ref=${box}><canvas ref=${canvas} onClick=${click} aria-hidden="true"></canvas>
		<i class="now" style=${{ left: (tick - .5) / Math.max(1, last) * 100 + '%' }}></i></div>
		<p class="soft small"><span class="key k1">
			</span>model · grey: standing order · yellow: fallback · red: none · height: time taken · below: refused (red),
				adjusted (yellow)${' '}
			<span class="saves"><${Png} name="lane" box=${box} ground="--card" /></span></p>`;
}

// Near lists the decisions around the tick.
function Near({ lane, tick, run }) {
	const rows = useMemo(() => {
		let at = lane.findIndex((e) => e.tick >= tick);
		if (at < 0) at = lane.length - 1;
		return lane.slice(Math.max(0, at - 6), at + 7);
	}, [lane, tick]);
	return html`<${Sheet} name="Decisions around the tick"><thead><tr>
		<th scope="col">Tick</th><th scope="col">Action</th><th scope="col" class="num">Calls</th>
			<th scope="col" class="num">Tokens</th><th scope="col" class="num">Cost</th><th scope="col"
				class="num">Time</th>
				</tr></thead>
		<tbody>${rows.map((e) => html`<tr key=${e.tick} class=${e.tick === tick ? 'chosen' : ''}><td>
			<button class="link" aria-label=${'open tick ' + e.tick} onClick=${() => go({ tick: e.tick, open: 1 })}>${
				e.tick}
				</button></td>
		<td>${e.kind === 'wait' ? html`<span class="bad">${noAnswer(e.failed)}</span>` : words(e.action)}${e.accepted ?
			'' : html` <span class="bad">refused</span>`}${e.kind !== 'model'
			? html`<br /><span class="soft small">${kindText[e.kind]}</span>` : ''}</td><td class="num">${e.calls || 0}</td>
				<td class="num">${num(e.tokens || 0)}</td><td class="num">${money(e.cost_micros || 0, run.row.currency)}</td>
					<td class="num">${ms(e.duration_ms || 0)}</td></tr>`)}</tbody><//>`;
}
