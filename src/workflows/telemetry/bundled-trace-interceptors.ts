import type { WorkflowInterceptors } from "@temporalio/workflow";
import { interceptors as passing } from "./trace-interceptors";

/**
 * The interceptors of the workflow bundle. A bundle is built once, and what a call passes on stands in its history: a worker
 * that reports spans or metrics changes one word of the bundle that it reads, and any other passes nothing.
 */

const MODE: string = "traces_end_here";

const bundled = (): WorkflowInterceptors => (MODE === "traces_go_on" ? passing() : {});

// The SDK asks for this name.
export { bundled as interceptors };
