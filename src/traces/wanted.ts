export type TraceEnvironment = Readonly<Record<string, string | undefined>>;

/** Whether spans should be sent anywhere. If not, nothing else in this folder is loaded. */
export function tracesWanted(env: TraceEnvironment): boolean {
	if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
	if (env.OTEL_TRACES_EXPORTER?.trim().toLowerCase() === "none") return false;
	return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}
