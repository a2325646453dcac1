/** The address of a graph. */
export const graphAddress = (id: string): string => `/graphs/${encodeURIComponent(id)}`;
