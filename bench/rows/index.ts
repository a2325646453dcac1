import { advance } from "./advance";
import { advanceCore } from "./advance-core";
import { agent, fanOut } from "./agent";
import { agents } from "./agents";
import { approve } from "./approve";
import { chain, reads } from "./chain";
import type { Comparison } from "./context";
import { fuel } from "./fuel";
import { growth } from "./growth";
import { langGraph } from "./langgraph";
import { lisp } from "./lisp";
import { load } from "./load";
import { memory } from "./memory";
import { plan } from "./plan";
import { queue } from "./queue";
import { records } from "./records";
import { recovery } from "./recovery";

/** In the order of the table. */
export const COMPARISONS: Comparison[] = [
  chain,
  reads,
  agent,
  fanOut,
  agents,
  growth,
  records,
  recovery,
  approve,
  memory,
  langGraph,
  lisp,
  fuel,
  advanceCore,
  advance,
  plan,
  load,
  // Last: what it loads is in the tree from then on, and every list of tasks has it.
  queue,
];
