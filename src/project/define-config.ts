import type { ConfigInput } from "./config-file";

/**
 * The configuration of a project, for `navigator.config.ts` and the like: it gives back what it is given, with its type checked.
 *
 *     export default defineConfig({ tools: [charge], agents: "./agents" });
 */
export const defineConfig = (config: ConfigInput): ConfigInput => config;
