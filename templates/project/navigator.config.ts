import { defineConfig } from "navigator-agents";
import { refund } from "./agents/refund.ts";
import { script } from "./script.ts";

export default defineConfig({
  agents: [refund],
  definitions: "./graphs",
  // What the model "scripted" answers. For a real model set NAVIGATOR_MODEL in .env.
  script,
});
