// A workflow that never comes back, as one with a mistake might.
exports.endless = async () => {
  for (;;);
};
