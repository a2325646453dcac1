import type { Json, JsonObject } from "../../../src/core/base/json";
import type { ToolSpec } from "../../../src/core/calls/tool";

/** The tools of the service. An effect is known by `n`: free text beside it makes no other effect of a `memo`. */
export const SERVICE_TOOLS: ToolSpec[] = [
  { name: "pay", effect: "write" },
  { name: "ship", effect: "write" },
  { name: "wire", effect: "irreversible" },
  { name: "memo", effect: "write", identity: ["n"] },
  { name: "look", effect: "read" },
];

/** A service that does what it is told, and compares no keys: what reaches it twice is done twice. */
export class CountingService {
  readonly done: { what: string; key: string }[] = [];

  /** `tx` counts what the service has done. */
  act(tool: string, { n }: JsonObject, key: string): Json {
    if (tool === "look") return { found: 500 };
    this.done.push({ what: `${tool} ${n}`, key });
    return { tx: this.done.length };
  }
}
