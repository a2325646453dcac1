/** Dollars are counted to the billionth: smaller differences would be noise. */
export const roundCost = (dollars: number): number => Math.round(dollars * 1e9) / 1e9;
