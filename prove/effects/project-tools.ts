import path from "node:path";
import { defined } from "../../src/core/base/defined";
import { NavigatorError } from "../../src/core/base/navigator-error";
import type { ToolSpec } from "../../src/core/calls/tool";
import { onSameEffect } from "../../src/core/effects/effect-settings";
import { SignatureError } from "../../src/core/signature/parse";
import { loadProject, type Project } from "../../src/project/load";
import type { Tool } from "../../src/tools";
import type { AnnouncedCall, CallsOfProof, ProjectOfProof } from "../frame/proof";
import type { ProvedProject, ProvedTool, ToolContract } from "../frame/report";
import type { SizesOf } from "../frame/sizes";
import { announcedCalls, proveContract } from "./call-tools";
import { mayShare } from "./missions/generate";
import { type ProofTool, ProofTools } from "./missions/proof-tool";
import type { EFFECTS_SIZES } from "./sizes";

/** The tools of a project that missions of the proof can call, and the report's entries about them. */
export class ProofProject {
  constructor(
    private readonly folder: string,
    readonly tools: ProofTools,
    private readonly left_out: readonly LeftOut[],
    /** As the project has them. */
    private readonly own: ReadonlyMap<string, Tool>,
    private readonly calls: CallsOfProof | undefined,
  ) {}

  private readonly contracts = new Map<string, ToolContract>();

  /** The calls that somebody has agreed to. @throws NavigatorError when nobody does */
  async agreedCalls(): Promise<AnnouncedCall[]> {
    if (this.calls === undefined) return [];
    const made = (name: string) => {
      const tool = this.tools.of(name);
      return tool.args(tool.effect(0), "navigator prove", "");
    };
    const calls = announcedCalls([...this.own.values()], made, this.calls);
    await this.calls.confirm(calls);
    return calls;
  }

  /** Calls a tool of the project. */
  async call({ tool, args }: AnnouncedCall): Promise<ToolContract> {
    const contract = await proveContract(this.own.get(tool) as Tool, args);
    this.contracts.set(tool, contract);
    return contract;
  }

  /** @throws NavigatorError for sizes that try nothing on these tools */
  check({ cross, undo }: SizesOf<typeof EFFECTS_SIZES>): void {
    const refuse = (option: string, why: string) => {
      throw new NavigatorError("bad_usage", `${option} tries nothing on this project: ${why}.`, {
        details: { path: option },
      });
    };
    if (cross > 0 && !this.tools.all.some(mayShare))
      refuse("--cross", 'no tool has effects that missions share (identityScope: "namespace")');
    if (undo > 0 && !this.tools.all.some(({ spec }) => spec.undo)) refuse("--undo", "no tool has an undo");
  }

  /** @param counts what was counted of a tool */
  proved(counts: (tool: string) => Counts): ProvedProject {
    const tools = this.tools.all.map((tool) => this.provedTool(tool, counts(tool.name)));
    return { folder: this.folder, tools, left_out: [...this.left_out], notes: this.notes() };
  }

  private notes(): string[] {
    if (this.calls === undefined) return [NOT_CALLED, AS_DECLARED];
    const names = this.tools.names.filter((name) => !this.contracts.has(name));
    return [
      "In the missions a service in memory that counts stood for the tools.",
      ...(names.length === 0 ? [] : [`Not called, because they have no lookup or answer later: ${names.join(", ")}.`]),
      AS_DECLARED,
    ];
  }

  private provedTool(tool: ProofTool, counts: Counts): ProvedTool {
    const spec = (this.own.get(tool.name) as Tool).spec;
    const contract = this.contracts.get(tool.name);
    return {
      name: tool.name,
      effect: spec.effect === "irreversible" ? "irreversible" : "write",
      identity: spec.identity || null,
      identity_scope: spec.identity_scope ?? "mission",
      on_same_effect: spec.repeatable ? "repeatable" : onSameEffect(spec),
      lookup: spec.lookup === true,
      undo: spec.undo === true,
      ...counts,
      ...defined({ contract }),
      warnings: [
        ...warningsOf(tool, spec),
        ...(counts.calls + (contract?.checks.length ?? 0) === 0 ? ["No mission called it: run more missions."] : []),
        ...contractWarnings(contract),
      ],
    };
  }
}

type Counts = Omit<
  ProvedTool,
  "name" | "effect" | "identity" | "identity_scope" | "on_same_effect" | "lookup" | "undo" | "contract" | "warnings"
>;

interface LeftOut {
  name: string;
  reason: string;
}

const NOT_CALLED =
  "No function of these tools was called: a service in memory that counts stood for them. So the proof shows that Navigator asks for each effect once under the declarations of the tools, not that their services act once.";
const AS_DECLARED =
  "Arguments were made from the signatures: what the schema of a tool demands beyond its signature was not tried. An approval was given by one person.";

/** What a call has left, and why it proves little. */
function contractWarnings(contract: ToolContract | undefined): string[] {
  if (contract === undefined) return [];
  const { undone, remains, not_proved, key } = contract;
  const why = undone
    ? "Its undo succeeded, and its lookup still finds the call"
    : "What the call did may still be there";
  return [
    ...(not_proved === null
      ? []
      : [`Not proved: ${not_proved.replace(/\.$/, "")}. Arguments that its service takes may be given with --args.`]),
    ...(remains ? [`${why}. Its key is ${key}.`] : []),
  ];
}

/**
 * Loads the tools with effects of a project. Loading calls no tool, and starts no MCP server.
 *
 * @throws NavigatorError: no project, mistakes in it, an unknown tool, or none that the proof could call
 */
export async function openProject({ folder, tools: only, calls }: ProjectOfProof): Promise<ProofProject> {
  const project = await loadProject(folder);
  try {
    const left_out = await openDeclared(project);
    const unknown = only.filter((name) => project.tools.get(name) === undefined);
    if (unknown.length > 0) {
      const reasons = left_out.map(({ name, reason }) => ` Left out: ${name} (${reason}).`).join("");
      throw new NavigatorError(
        "bad_usage",
        `Unknown tool${unknown.length === 1 ? "" : "s"}: ${unknown.join(", ")}. Tools: ${project.tools.names().join(", ") || "none"}.${reasons}`,
        { details: { path: "--tools" } },
      );
    }
    const specs = project.tools.specs().filter(({ name }) => only.length === 0 || only.includes(name));
    const tools: ToolSpec[] = [];
    for (const spec of specs) {
      const reason = whyNot(spec);
      if (reason === undefined) tools.push(spec);
      else left_out.push({ name: spec.name, reason });
    }
    if (tools.length === 0) throw nothingToProve(project, left_out);
    const own = new Map(tools.map(({ name }) => [name, project.tools.get(name) as Tool]));
    return new ProofProject(path.resolve(folder), new ProofTools(tools.map(asProved)), left_out, own, calls);
  } finally {
    await project.close();
  }
}

/** Opens what only reads a declaration. @returns the other sources, and what of them cannot be a tool */
async function openDeclared(project: Project): Promise<LeftOut[]> {
  const left_out: LeftOut[] = [];
  for (const source of project.sources) {
    if (!source.isDeclared) {
      left_out.push({
        name: source.name,
        reason: "only the running server lists its tools, and a proof starts none",
      });
      continue;
    }
    try {
      const parts = await project.openSource(source);
      left_out.push(...parts.map(({ name, reason }) => ({ name: `${source.name} ${name}`, reason })));
    } catch (error) {
      if (!(error instanceof NavigatorError)) throw error;
      left_out.push({ name: source.name, reason: error.message });
    }
  }
  return left_out;
}

function whyNot(spec: ToolSpec): string | undefined {
  if (spec.effect === "read") return "it only reads, so it does no effect";
  try {
    new ProofTools([spec]);
    return undefined;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    return `no arguments can be made for its signature: ${error.message}`;
  }
}

function nothingToProve({ folder, tools }: Project, left_out: readonly LeftOut[]): NavigatorError {
  const reasons = left_out.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  const what = tools.names().length === 0 && left_out.length === 0 ? "no tools" : "no tool with effects to prove";
  return new NavigatorError("bad_project", `${folder} has ${what}${reasons === "" ? "" : `. ${reasons}`}.`, {
    hint: "The proof calls the tools of navigator.config that are not `effect: read`.",
    details: { path: folder },
  });
}

/** The part of a declaration that defines its effects: not who approves, how long it takes, or where it runs. */
function asProved(spec: ToolSpec): ToolSpec {
  const { cache: _, timeout_ms: __, retry: ___, heartbeat_ms: ____, rate_limit: _____, ...rest } = spec;
  const { task_queue: ______, completes_later: _______, approval, ...declared } = rest;
  return approval === undefined ? declared : { ...declared, approval: true };
}

/** The warnings about a tool for the user, beyond the figures. Nothing is guessed: it follows from the declaration. */
function warningsOf(tool: ProofTool, spec: ToolSpec): string[] {
  const warnings: string[] = [];
  if (spec.effect === "irreversible" && !spec.lookup)
    warnings.push("It has no lookup, so a person is asked when the outcome of a call is lost.");
  if (spec.signature === undefined)
    warnings.push("It has no signature: its arguments were made up, and its answer is not checked.");
  if (spec.identity === undefined && !spec.repeatable)
    warnings.push(
      "It has no identity, so a call with any other argument is another effect, also if only free text differs.",
    );
  if (tool.kinds < Number.POSITIVE_INFINITY && !spec.repeatable)
    warnings.push(
      tool.kinds === 1
        ? "No argument distinguishes its effects: every call is the same effect."
        : `Its identity can distinguish only ${tool.kinds} effects.`,
    );
  if (spec.cache)
    warnings.push(
      "It keeps answers (cache), so an equal call is not made and an effect that is wanted twice is done once. The proof ran it without.",
    );
  return warnings;
}
