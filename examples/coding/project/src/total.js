/** Cents of all lines together, less a discount in percent. */
function total(lines, discount = 0) {
  const sum = lines.reduce((cents, line) => cents + line.cents, 0);
  return Math.round(sum * (1 - discount / 100));
}

module.exports = { total };
