import { element, setText } from '../gauges/element';
import { ProgressList } from '../gauges/progress';
import { Sparkline } from '../gauges/sparkline';
import { cut } from '../gauges/stackbar';
import { Tooltip } from '../gauges/tooltip';
import { Trace } from '../gauges/trace';
import { formatBytes } from '../gauges/units';
import { gaugeWords } from '../gauges/words';
import { trans } from '../translation';

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
