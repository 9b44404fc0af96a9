import hotspan from './index.js';

export const {
  runWithContext,
  enterWithContext,
  getContext,
  withLabels,
  setLabel,
  setRoute,
  bindOpenTelemetry,
  startProfile,
  counters,
  form,
} = hotspan;
export default hotspan;
