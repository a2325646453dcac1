import { readFileSync } from "node:fs";
import path from "node:path";
import { missionHistories, missionTrace } from "../../client/mission-tree";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { missionSpans } from "../../core/history/spans/mission-spans";
import { otlpTraces } from "../../core/history/spans/otlp-json";
import type { Attributes, PlainSpan } from "../../core/history/spans/plain-span";
import {
  filterTrace,
  slowestSpans,
  type TraceEnd,
  traceEnd,
  traceSummary,
  traceTimeline,
  traceTree,
} from "../../core/history/trace/analyse";
import { SPAN_KINDS, type TraceLine, traceText } from "../../core/history/trace/line";
import { loadTrace, TraceFormatError } from "../../core/history/trace/load";
import { packageVersion } from "../../node/package-version";
import { sendSpans } from "../../node/telemetry/export-spans";
import { maskedSpan } from "../../node/telemetry/masked-span";
import {
  addressFault,
  type OtlpTarget,
  shownAddress,
  signalAddress,
  type Telemetry,
  telemetryOf,
} from "../../node/telemetry/settings";
import { findConfig, readConfig } from "../../project/config-file";
import { wholeNumber } from "../input/arguments";
import { findMission } from "../input/find-mission";
import { STDIN, textInput } from "../input/text-input";
import { withSession } from "../session/session";
import { endText, viewsText } from "../show/render-trace";
import type { TopCommands } from "../terminal/command";
import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { writeOutput } from "../terminal/write-output";

interface Options {
  fromLog?: string;
  type?: string;
  minDuration?: string;
  slowest?: string;
  tree?: boolean;
  timeline?: boolean;
  summary?: boolean;
  export?: string;
  otlp?: string | true;
  content?: boolean;
}

export const traceCommands: TopCommands = {
  trace: {
    options: [
      ["--from-log <file>", "an exported trace instead of a server; - reads standard input"],
      ["--type <type>", "only run, turn, llm, tool or pmap; or an event such as tool.stop"],
      ["--min-duration <ms>", "only calls that took at least this many milliseconds"],
      ["--slowest <n>", "the slowest calls, longest first"],
      ["--tree", "as a tree, with nested agents"],
      ["--timeline", "as a timeline, one line for each event"],
      ["--summary", "duration, turns, calls, tokens"],
      ["--export <file>", "write the trace as JSON Lines; - writes to standard output"],
      [
        "--otlp [target]",
        "send its spans to a collector of OpenTelemetry, or write them into a file; - = standard output",
      ],
      ["--content", "with --otlp: also arguments, answers and error texts"],
    ],
    examples: [
      "navigator trace order-42",
      "navigator trace order-42 --type tool --slowest 5",
      "navigator trace order-42 --export order-42.jsonl",
      "navigator trace order-42 --otlp http://localhost:4318",
    ],
    run: (io: CommandIo, id: string | undefined, options: Options) => {
      if (options.otlp !== undefined) return exportSpans(io, id, options.otlp, options);
      if (options.content) throw badUsage("--content", "--content needs --otlp.");
      const wanted = read(options);
      if (options.fromLog !== undefined) {
        if (id !== undefined) throw badUsage("--from-log", "--from-log takes no id.");
        return fromFile(options.fromLog).then((lines) => show(io, lines, wanted));
      }
      if (id === undefined)
        throw badUsage("ID", "Name a mission, a task or a plan, or give --from-log FILE.", "navigator trace order-42");
      return withSession(io, "read", async ({ client }) => {
        const logs = await findMission(id, (workflowId) => missionTrace(client, workflowId));
        await show(
          io,
          logs.flatMap(({ lines }) => lines),
          wanted,
        );
      });
    },
  },
};

/** Takes all that a span has from the history of its run: a repeated export sends the same spans. */
async function exportSpans(io: CommandIo, id: string | undefined, to: string | true, options: Options): Promise<void> {
  const { otlp: _, content, ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined) throw badUsage(`--${dashed(other)}`, `--otlp cannot be combined with --${dashed(other)}.`);
  if (id === undefined) throw badUsage("ID", "Name a mission, a task or a plan.", "navigator trace ID --otlp");
  const telemetry = await projectTelemetry(io.config);
  const target = spanTarget(to, telemetry);
  const contentOptions = { content: content ?? telemetry.content };
  return withSession(io, "read", async ({ client }) => {
    const histories = await findMission(id, (workflowId) => missionHistories(client, workflowId));
    await writeSpans(io, missionSpans(histories, contentOptions), target, telemetry.resource);
  });
}

const dashed = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

interface Wanted {
  type?: string;
  min_duration_ms?: number;
  slowest?: number;
  views: ("summary" | "tree" | "timeline")[];
  export?: string;
}

function read(options: Options): Wanted {
  const { type } = options;
  const min_duration_ms = wholeNumber("--min-duration", options.minDuration, 0);
  const slowest = wholeNumber("--slowest", options.slowest, 1);
  if (type !== undefined && !isType(type))
    throw badUsage("--type", `--type must be ${SPAN_KINDS.join(", ")}, or an event such as tool.stop, got "${type}".`);
  const views = (["summary", "tree", "timeline"] as const).filter((view) => options[view]);
  if (options.export !== undefined && (views.length > 0 || slowest !== undefined))
    throw badUsage("--export", "--export cannot be combined with a view.");
  const filtered = type !== undefined || min_duration_ms !== undefined;
  if (views.length === 0 && slowest === undefined)
    views.push(...(filtered ? (["timeline"] as const) : (["summary", "tree"] as const)));
  return {
    ...defined({ type, min_duration_ms, slowest }),
    views,
    ...defined({ export: options.export }),
  };
}

function isType(type: string): boolean {
  const [kind = "", moment, ...rest] = type.split(".");
  const isKind = kind === "trace" || (SPAN_KINDS as readonly string[]).includes(kind);
  return isKind && rest.length === 0 && (moment === undefined || moment === "start" || moment === "stop");
}

async function fromFile(file: string): Promise<TraceLine[]> {
  const text = textInput(file);
  try {
    return loadTrace(text);
  } catch (error) {
    if (!(error instanceof TraceFormatError)) throw error;
    const { line, fault } = error;
    throw new NavigatorError("invalid_input", `${file === "-" ? STDIN : file} is not a trace: ${error.message}`, {
      hint: "Export one with `navigator trace ID --export FILE`.",
      details: { path: file, line, fault },
    });
  }
}

async function show(io: CommandIo, all: TraceLine[], wanted: Wanted): Promise<void> {
  const lines = filterTrace(all, wanted);
  const end = traceEnd(all);
  if (wanted.export !== undefined) return write(io, lines, end, wanted.export);
  const views = {
    // The summary covers the whole trace, filtered lines included.
    ...(wanted.views.includes("summary") ? { summary: traceSummary(all) } : {}),
    ...(wanted.views.includes("tree") ? { tree: traceTree(lines) } : {}),
    ...(wanted.views.includes("timeline") ? { timeline: traceTimeline(lines) } : {}),
    ...(wanted.slowest === undefined ? {} : { slowest: slowestSpans(lines, wanted.slowest) }),
  };
  io.result({ ...views, ...end }, () => [viewsText(views, io.color), ...endText(end, io.color)].join("\n\n"));
}

async function write(io: CommandIo, lines: TraceLine[], end: TraceEnd, file: string): Promise<void> {
  if (file === "-") {
    for (const line of lines) io.event(line, () => JSON.stringify(line));
    return;
  }
  // Only the user may read it: it contains the messages of the missions.
  writeOutput(file, "trace", traceText(lines), 0o600);
  const runs = new Set(lines.map(({ trace_id }) => trace_id)).size;
  io.result({ file, lines: lines.length, runs, ...end }, () =>
    [`${file}: ${lines.length} lines of ${runs} ${runs === 1 ? "run" : "runs"}`, ...endText(end, io.color)].join("\n"),
  );
}

/** Hands the spans of a mission on and prints how many. @throws NavigatorError `service_unavailable`, `file_error` */
export async function writeSpans(
  io: CommandIo,
  all: readonly PlainSpan[],
  target: SpanTarget,
  resource: Attributes,
): Promise<void> {
  // A secret may be in a history that another client has written.
  const spans = all.filter(({ end_ms }) => end_ms !== null).map(maskedSpan);
  const scope = { name: "navigator-agents", version: packageVersion() };
  const counts = { spans: spans.length, open: all.length - spans.length, trace_ids: traceIds(all) };
  if ("collector" in target) {
    await sendSpans(spans, target.collector, resource, scope);
    const sent_to = shownAddress(target.collector.url);
    return io.result({ ...counts, sent_to }, () => sentText(sent_to, counts));
  }
  const { file } = target;
  const body = otlpTraces(spans, resource, scope);
  if (file === "-") return io.result(body, () => JSON.stringify(body));
  writeOutput(file, "spans", `${JSON.stringify(body)}\n`, 0o600);
  io.result({ ...counts, file }, () => sentText(file, counts));
}

const traceIds = (spans: readonly PlainSpan[]): string[] => [...new Set(spans.map(({ trace_id }) => trace_id))];

function sentText(
  place: string,
  { spans, open, trace_ids }: { spans: number; open: number; trace_ids: string[] },
): string {
  const rest = open === 0 ? "" : ` ${open} ${open === 1 ? "has" : "have"} not ended: export again later.`;
  return `${place}: ${spans} spans of trace ${trace_ids.join(", ")}.${rest}`;
}

/**
 * Reads the telemetry settings of a project, with the environment's OTEL_* variables. A configuration may take a second to load: one
 * without the word is not loaded.
 *
 * @param place the folder, or the configuration file
 * @throws NavigatorError `bad_config` for variables that cannot be used, and what `readConfig` throws
 */
async function projectTelemetry(
  place: string = process.cwd(),
  env: NodeJS.ProcessEnv = process.env,
): Promise<Telemetry> {
  const file = findConfig(path.resolve(place));
  const hasTelemetry = file !== null && /\btelemetry\b/.test(readFileSync(file, "utf8"));
  return telemetryOf(hasTelemetry ? (await readConfig(file)).telemetry : {}, env);
}

/** Where exported spans go: to a collector, or into a file. */
type SpanTarget = { collector: OtlpTarget } | { file: string };

/**
 * @param given of `--otlp`: the address of a collector, a file, `-`, or true for the collector of the project
 * @throws NavigatorError `bad_usage` if no target is given
 */
export function spanTarget(given: string | true, { traces }: Telemetry): SpanTarget {
  if (given === true) {
    if (traces !== null) return { collector: traces };
    throw badUsage(
      "--otlp",
      "--otlp does not know where to: no collector is set.",
      "Name one, or a file: --otlp http://localhost:4318, --otlp trace.json. Or set `telemetry` or OTEL_EXPORTER_OTLP_ENDPOINT.",
    );
  }
  if (!/^https?:\/\//.test(given)) return { file: given };
  const fault = addressFault(given);
  if (fault !== null)
    throw badUsage(
      "--otlp",
      `--otlp: the address ${fault}.`,
      "--otlp http://localhost:4318, with OTEL_EXPORTER_OTLP_HEADERS for the headers that the collector needs.",
    );
  // Its own path is taken as it is; without one it is the base address of a collector.
  const { pathname } = new URL(given);
  const url = pathname === "/" ? signalAddress(given, "traces") : given;
  return { collector: { url, headers: traces?.headers ?? {} } };
}
