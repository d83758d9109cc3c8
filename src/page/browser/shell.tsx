import { type Connection, connection, hello, ledger, paused } from "./data/live.ts";
import { closeNotice, notices } from "./data/notices.ts";
import { openRunId, route, VIEWS, type View, viewLink } from "./data/route.ts";
import { nextTheme, theme } from "./data/theme.ts";
import { showsHelp } from "./key-actions.ts";
import { keyName, PAGE_BINDINGS } from "./keys.ts";
import { AllRuns, SideList } from "./overview/all-runs.tsx";
import { Dialog, Question } from "./parts/dialog.tsx";
import { Foreign } from "./parts/foreign.tsx";
import { useMedia } from "./parts/use-media.ts";
import { OpenRun } from "./run/open-run.tsx";
import { AgentsView } from "./views/agents.tsx";
import { CostsView } from "./views/costs.tsx";
import { DoctorView } from "./views/doctor.tsx";
import { LogsView } from "./views/logs.tsx";
import { PoolsView } from "./views/pools.tsx";

const ROOM_FOR_LIST = "(min-width: 1100px)";

export function Shell() {
	if (connection.value === "denied") return <Denied />;
	return (
		<div class="shell">
			<TopBar />
			<Banners />
			<Content />
			<Notices />
			<Question />
			{showsHelp.value && <Help />}
		</div>
	);
}

function Content() {
	const hasRoom = useMedia(ROOM_FOR_LIST);
	const { view } = route.value;
	if (view === "agents") return <AgentsView />;
	if (view === "pools") return <PoolsView />;
	if (view === "costs") return <CostsView />;
	if (view === "doctor") return <DoctorView />;
	if (view === "logs") return <LogsView />;
	if (openRunId.value === undefined) return <AllRuns />;
	if (!hasRoom) return <OpenRun />;
	return (
		<div class="split">
			<SideList />
			<OpenRun />
		</div>
	);
}

const TITLES: Readonly<Record<View, string>> = {
	runs: "Runs",
	agents: "Agents",
	pools: "Pools",
	costs: "Costs",
	doctor: "Doctor",
	logs: "Logs",
};

function TopBar() {
	return (
		<header class="top">
			<a class="brand" href="#/">
				pi-geon
			</a>
			<nav class="views" aria-label="Views">
				{VIEWS.filter((view) => view !== "pools" || hello.value?.hasPools).map((view) => (
					<a href={viewLink(view)} aria-current={route.value.view === view ? "page" : undefined}>
						{TITLES[view]}
					</a>
				))}
			</nav>
			<span class="grow" />
			<Link />
			<button
				type="button"
				class="quiet"
				aria-pressed={paused.value}
				title="Pause live updates (p)"
				onClick={() => {
					paused.value = !paused.value;
				}}
			>
				{paused.value ? "Continue" : "Pause"}
			</button>
			<button type="button" class="quiet" title="Light, dark, or the system's setting (T)" onClick={nextTheme}>
				<span aria-hidden="true">◐</span>
				<span class="sr-only">Theme: </span>
				{theme.value}
			</button>
			<button
				type="button"
				class="quiet"
				title="Keys (?)"
				aria-label="Keys"
				onClick={() => {
					showsHelp.value = true;
				}}
			>
				?
			</button>
		</header>
	);
}

const LINK_WORDS: Readonly<Record<Connection, string>> = {
	connecting: "connecting",
	live: "live",
	lost: "not connected",
	denied: "no access",
	paused: "paused",
};

function Link() {
	return (
		<span class={`link link-${connection.value}`} role="status">
			<i aria-hidden="true" />
			{LINK_WORDS[connection.value]}
		</span>
	);
}

function Banners() {
	const { state, message } = ledger.value;
	return (
		<>
			{connection.value === "lost" && (
				<p class="banner failure" role="alert">
					The server does not answer. What you see may be old; this page reconnects by itself. If you ended it, run{" "}
					<code>pi-geon web</code> again.
				</p>
			)}
			{state !== "ok" && state !== "absent" && (
				<p class="banner" role="alert">
					<Foreign text={message ?? `The ledger is ${state}.`} />
				</p>
			)}
			{hello.value?.readOnly !== undefined && (
				<p class="banner">
					<Foreign text={hello.value.readOnly} />
				</p>
			)}
		</>
	);
}

function Denied() {
	return (
		<main class="denied">
			<h1>pi-geon</h1>
			<p>This page needs the address that the command printed, with everything behind the #.</p>
			<p>
				Run <code>pi-geon web</code> and open the address that it prints.
			</p>
		</main>
	);
}

function Notices() {
	return (
		<div class="notices" role="status">
			{notices.value.map(({ id, kind, text, details }) => (
				<div key={id} class={`notice ${kind}`}>
					<div>
						<Foreign text={text} />
						{details.length > 0 && (
							<ul>
								{details.map((detail) => (
									<li>
										<Foreign text={detail} />
									</li>
								))}
							</ul>
						)}
					</div>
					<button type="button" class="quiet" aria-label="Close" onClick={() => closeNotice(id)}>
						×
					</button>
				</div>
			))}
		</div>
	);
}

function Help() {
	const close = () => {
		showsHelp.value = false;
	};
	return (
		<Dialog title="Keys" onClose={close} wide>
			<dl class="keys">
				{PAGE_BINDINGS.flatMap(({ action, keys, about }) => [
					<dt key={action}>
						{keys.map((key) => (
							<kbd>{keyName(key)}</kbd>
						))}
					</dt>,
					<dd key={`${action}-about`}>{about}</dd>,
				])}
			</dl>
			<div class="dialog-buttons">
				<span class="faint grow">pi-geon {hello.value?.version ?? ""}</span>
				<button type="button" class="solid" onClick={close}>
					Close
				</button>
			</div>
		</Dialog>
	);
}
