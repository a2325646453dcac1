import type { Command } from "commander";
import type { CommandIo } from "../../terminal/io";
import { registerWorkflowCheck } from "./check";
import { registerWorkflowDraw } from "./draw";
import { registerWorkflowInit } from "./init";
import { registerWorkflowLoad } from "./load";

export function registerWorkflow(program: Command, io: CommandIo): void {
  const workflow = program.command("workflow").description("workflow definitions: ready ones, files and loaded ones");
  registerWorkflowInit(workflow, io);
  registerWorkflowCheck(workflow, io);
  registerWorkflowLoad(workflow, io);
  registerWorkflowDraw(workflow, io);
}
