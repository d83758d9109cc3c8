import { clearFilters, filters, isFiltered, STATE_FILTERS, type StateFilter, setFilters } from "../data/filters.ts";
import { overview } from "../data/live.ts";
import { runList } from "../data/run-list.ts";
import { folderName } from "../parts/words.ts";

export const SEARCH_ID = "search";

export function FilterBar() {
	const { agents = [], folders = [] } = overview.value ?? {};
	const { state, agent, folder, session, text } = filters.value;
	return (
		<search class="filters" aria-label="Filter runs">
			<input
				id={SEARCH_ID}
				type="search"
				placeholder="Search task, label, agent, id"
				aria-label="Search runs"
				value={text ?? ""}
				onInput={({ currentTarget }) => setFilters({ text: currentTarget.value })}
			/>
			<select
				aria-label="State"
				value={state ?? ""}
				onChange={({ currentTarget }) => setFilters({ state: (currentTarget.value as StateFilter) || undefined })}
			>
				<option value="">Any state</option>
				{STATE_FILTERS.map((each) => (
					<option value={each}>{each}</option>
				))}
			</select>
			<Choice
				label="Agent"
				any="Any agent"
				value={agent}
				values={agents}
				onChange={(chosen) => setFilters({ agent: chosen })}
			/>
			<Choice
				label="Folder"
				any="Any folder"
				value={folder}
				values={folders}
				words={folderName}
				onChange={(chosen) => setFilters({ folder: chosen })}
			/>
			{session !== undefined && (
				<button type="button" class="chip" onClick={() => setFilters({ session: undefined })}>
					one conversation <span aria-hidden="true">×</span>
					<span class="sr-only">: show all conversations</span>
				</button>
			)}
			{isFiltered.value && (
				<button type="button" class="quiet" onClick={clearFilters}>
					Clear
				</button>
			)}
			<span class="count" role="status">
				{runList.value.total.toLocaleString()} {runList.value.total === 1 ? "run" : "runs"}
			</span>
		</search>
	);
}

interface ChoiceProps {
	label: string;
	any: string;
	value: string | undefined;
	values: readonly string[];
	words?(value: string): string;
	onChange(value: string | undefined): void;
}

function Choice({ label, any, value, values, words = (each) => each, onChange }: ChoiceProps) {
	// A value in the address that the ledger does not have is still a filter.
	const all = value === undefined || values.includes(value) ? values : [value, ...values];
	return (
		<select
			aria-label={label}
			value={value ?? ""}
			onChange={({ currentTarget }) => onChange(currentTarget.value === "" ? undefined : currentTarget.value)}
		>
			<option value="">{any}</option>
			{all.map((each) => (
				<option value={each} title={each}>
					{words(each)}
				</option>
			))}
		</select>
	);
}
