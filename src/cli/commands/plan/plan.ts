import type { Command } from "commander";
import type { CommandIo } from "../../terminal/io";
import { registerPlanCheck } from "./check";
import { registerPlanRun } from "./run";
import { registerPlanShow } from "./show";

/** `navigator plan`: plans of tasks for agents. */
export function registerPlan(program: Command, io: CommandIo): void {
  const plan = program.command("plan").description("plans: tasks for agents and their dependencies");
  registerPlanCheck(plan, io);
  registerPlanRun(plan, io);
  registerPlanShow(plan, io);
}
