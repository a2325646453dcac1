/** For an option that may stand several times: `--group a --group b`. */
export const repeated = (value: string, before: string[] = []): string[] => [...before, value];
