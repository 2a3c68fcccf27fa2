import { html, render, useEffect, useState, useRoute, useServer, useTheme, clock, href, learn, single, saying, shown,
	Note } from './lib.js';
import { Runs } from './runs.js';
import { Run } from './run.js';
import { Compare } from './compare.js';
import { entering } from './control.js';

const views = { '/': Runs, '/run': Run, '/compare': Compare };

function App({ first }) {
	const [refused, refuse] = useState(first);
	useEffect(() => {
		const see = (e) => refuse(e.detail);
		window.addEventListener('entered', see);
		return () => window.removeEventListener('entered', see);
	}, []);
	const { path, q } = useRoute();
	const [theme, setTheme] = useTheme();
	const server = useServer();
	const View = views[single ? '/' + single : path] || Runs;
	const dark = theme === 'dark';
	return html`
		<a class="skip" href="#main"
			onClick=${(e) => { e.preventDefault(); document.getElementById('main').focus(); }}>Skip to content</a>
		<header class="top">
			<a class="name" href=${single ? undefined : '#/'}><img src="icon.svg" alt="" width="22" height="22" />Agent World</a>
			${single ? html`<span class="soft small">${shown(saying)}</span>`
					: html`<nav aria-label="Pages">
				<a href="#/" aria-current=${path === '/' ? 'page' : undefined}>Runs</a>
				<a href=${href('/compare')} aria-current=${path === '/compare' ? 'page' : undefined}>Compare</a>
			</nav>`}
			<button aria-label=${dark ? 'Switch to the light theme' : 'Switch to the dark theme'}
				onClick=${() => setTheme(dark ? 'light' : 'dark')}>${dark ? 'Light' : 'Dark'}</button>
		</header>
		<div role="status" aria-live="polite">${server.gone && html`<p class="note bad gone">The server of this page does not
			answer. What is shown is of <b>${clock(server.at)}</b> and may have changed since. The runs are in their directory:
			<code>world_llm_agent_demo dashboard DIR</code> shows them again.</p>`}</div>
		<main id="main" tabindex="-1">${refused && html`<${Note} bad>${shown(refused)}<//>`}
			<${View} q=${q} theme=${theme} key=${path + (q.get('id') || '')} /></main>`;
}

const at = document.getElementById('app');
at.textContent = '';
Promise.all([entering, learn()]).then(([first]) => render(html`<${App} first=${first} />`, at));
