/** What the configuration file of a project may be called. */
export const CONFIG_NAMES = ["json", "ts", "mts", "cts", "js", "cjs", "mjs"].map(
  (ending) => `navigator.config.${ending}`,
);
