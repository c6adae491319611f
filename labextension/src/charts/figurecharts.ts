import { formatBytes, formatCount, formatPercent } from '../gauges/units';
import type { IChartOptions } from './chart';
import type { Figure } from './course';
import { trans } from '../translation';

/** How each figure is drawn: its title, its unit, and how much the axis has at least. */
export function chartsOf(): Readonly<Record<Figure, IChartOptions>> {
  const percent = { base: 10, least: 100, format: formatPercent } as const;
  const bytes = { base: 2, least: 2 ** 20, format: formatBytes } as const;
  const count = { base: 10, least: 4, format: formatCount } as const;
  return {
    gpu: { title: trans.__('GPU load'), ...percent },
    vram: { title: trans.__('GPU memory'), ...bytes },
    cpu: { title: trans.__('CPU (100 % is one core)'), ...percent },
    memory: { title: trans.__('Host memory'), ...bytes },
    disk: { title: trans.__('Results on disk'), ...bytes },
    tasks: { title: trans.__('Tasks at workers'), ...count }
  };
}
