/** Whether a count of refused signals is worth a new page: the page names the first ones, then every hundredth. */
export const isShown = (refused: number): boolean => refused <= 10 || refused % 100 === 0;
