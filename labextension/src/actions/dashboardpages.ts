import type { TranslationBundle } from '@jupyterlab/translation';

/** The pages of a dashboard that are offered by name. */
export function dashboardPages(trans: TranslationBundle): readonly (readonly [string, string])[] {
  return [
    ['status', trans.__('Status')],
    ['workers', trans.__('Workers')],
    ['tasks', trans.__('Task stream')],
    ['individual-progress', trans.__('Progress')],
    ['graph', trans.__('Task graph')],
    ['individual-workers-memory', trans.__('Memory by worker')],
    ['individual-memory-by-key', trans.__('Memory by key')],
    ['individual-gpu-memory', trans.__('GPU memory')],
    ['individual-gpu-utilization', trans.__('GPU utilization')],
    ['groups', trans.__('Task groups')],
    ['system', trans.__('Scheduler')],
    ['individual-bandwidth-workers', trans.__('Bandwidth')]
  ];
}
