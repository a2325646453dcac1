import type { ModelReply } from "../../src/core/calls/host";
import type { ModelCall } from "../../src/models/model";
import { HELPER, programOf } from "./missions/program";
import { asReply, planned, Teller } from "./teller";

/**
 * The models of a mission whose stages are done by separate agents. Every program of a stage is the next script of
 * it, whichever agent asks. A call that is made again, because its worker was lost, gets the same answer.
 */
export class StagedTeller extends Teller {
  /** How many scripts of each stage were sent. */
  private readonly counts = new Map<number, number>();
  private readonly answers = new Map<string, string>();

  override async answer(call: ModelCall, run: string): Promise<ModelReply> {
    // The reply of an agent below depends on its conversation alone.
    if (call.agent === HELPER) return super.answer(call, run);
    const name = `${run} ${call.call}`;
    const content = this.answers.get(name) ?? this.contentOf(call);
    this.answers.set(name, content);
    return { content, model: "scripted" };
  }

  protected contentOf(call: ModelCall): string {
    return asReply(this.stageProgram(call));
  }

  private stageProgram({ messages }: ModelCall): string {
    const number = Number(/Do stage (\d+)\b/.exec(messages[0]?.content ?? "")?.[1]);
    const stage = this.mission.stages[number];
    if (stage === undefined) throw new Error("The agent got no stage.");
    const script = this.counts.get(number) ?? 0;
    this.counts.set(number, script + 1);
    const place = { stage: number, script, work: 0, attempt: 0 };
    const program = { place, stage, script: planned(stage.scripts, script) };
    this.sent.set(this.sent.size + 1, program);
    return programOf(stage, program.script, { place, tools: this.tools }, true);
  }
}
