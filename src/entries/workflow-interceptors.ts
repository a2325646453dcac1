/**
 * `navigator-agents/workflow-interceptors`: the interceptors of Navigator's workflows, for bundles that are made without
 * `NavigatorPlugin` (docs/embedding.md, "Bundles"). They report missions and pass their traces on.
 */
export { interceptors } from "../workflows/telemetry/trace-interceptors";
