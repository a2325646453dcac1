import type { TopCommands } from "../../terminal/command";
import { workflowCheckCommands } from "./check";
import { workflowDrawCommands } from "./draw";
import { workflowInitCommands } from "./init";
import { workflowLoadCommands } from "./load";

export const workflowCommands: TopCommands = {
  workflow: {
    commands: [...workflowInitCommands, ...workflowCheckCommands, ...workflowLoadCommands, ...workflowDrawCommands],
  },
};
