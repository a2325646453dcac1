import { defineConfig } from "navigator-agents";
import { refund } from "./agents/refund.ts";
import { script } from "./script.ts";
import { refundCard } from "./tools/refund-card.ts";

export default defineConfig({
  agents: [refund],
  tools: [refundCard],
  definitions: "./graphs",
  // What the model "scripted" answers. For a real model set NAVIGATOR_MODEL in .env.
  script,
});
