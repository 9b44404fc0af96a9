import { createRequire } from 'node:module';

const { begin, going } = createRequire(import.meta.url)('./meter');

export function exported() {
  let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
}

export default {
  esModule: exported,
  esArrow: () => {
    let x = begin(); do for (let i = 0; i < 20000; i++) x = (x * 31 + i) | 0; while (going(x));
  },
  esDynamicImport: async () => {
    const { exported: again } = await import(import.meta.url);
    again();
  },
};
