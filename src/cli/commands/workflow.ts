import type { Command } from "commander";
import type { CommandIo } from "../io";
import { registerWorkflowCheck } from "./workflow-check";
import { registerWorkflowDraw } from "./workflow-draw";
import { registerWorkflowInit } from "./workflow-init";
import { registerWorkflowLoad } from "./workflow-load";

export function registerWorkflow(program: Command, io: CommandIo): void {
  const workflow = program.command("workflow").description("workflow definitions: ready ones, files, what is loaded");
  registerWorkflowInit(workflow, io);
  registerWorkflowCheck(workflow, io);
  registerWorkflowLoad(workflow, io);
  registerWorkflowDraw(workflow, io);
}
