import { ProgressList } from '../gauges/progress';
import { formatBytes } from '../gauges/units';
import { cut } from '../gauges/stackbar';
import { gaugeWords } from '../gauges/words';
import { trans } from '../translation';
import { Tooltip } from '../gauges/tooltip';
import { Sparkline, Trace } from '../gauges/sparkline';
import { element, setText } from '../gauges/element';

/** What the lines below cells use of the panel, in the order of ./shared. */
export const parts = () =>
  [
    cut,
    element,
    setText,
    formatBytes,
    gaugeWords,
    trans,
    ProgressList,
    Sparkline,
    Tooltip,
    Trace
  ] as const;

export type IParts = ReturnType<typeof parts>;
