import { h, useState } from '../jsx';
import { sentenceOf } from '../panel/asking';
import { Markdown, useOutputContext } from './outputcontext';
import { trans } from '../translation';

interface IHelpProps {
  /** Number of the exercise, such as '06.2'. */
  readonly exercise: string;
  readonly nHints: number;
  /** How many hints the notebook has given before. */
  readonly nSeen: number;
}

/** An exercise's number; what else an output may say is no part of code that is run. */
const EXERCISE = /^\d\d\.\d{1,2}$/;

/** The hints of an exercise, one after the other, and its solution; each can be read again. */
export function HelpButtons({ exercise, nHints, nSeen }: IHelpProps): JSX.Element | null {
  const { evaluate } = useOutputContext();
  const [seen, setSeen] = useState(nSeen);
  const [shown, setShown] = useState<{ name: string; text: string } | null>(null);
  const [error, setError] = useState('');
  const [isSure, setSure] = useState(false);
  if (evaluate === null || nHints === 0 || !EXERCISE.test(exercise)) {
    return null;
  }
  const ask = async (name: string, call: string): Promise<boolean> => {
    setError('');
    try {
      const text = await evaluate(`__import__('gpucluster.lessons', fromlist=['*']).${call}`);
      setShown({ name, text });
      return true;
    } catch (reason) {
      setError(sentenceOf(reason));
      return false;
    }
  };
  const toggle = (name: string, call: string, then?: () => void) => async () => {
    if (shown?.name === name) {
      setShown(null);
    } else if (await ask(name, call)) {
      then?.();
    }
  };
  const numbers = Array.from({ length: nHints }, (_, place) => place + 1);
  const isEarly = seen < nHints && !isSure;
  return (
    <div className="gpc-Help">
      <div className="gpc-Study-buttons" role="group" aria-label={trans.__('Help')}>
        {numbers.map(number => (
          <button
            key={number}
            className="gpc-Button"
            aria-expanded={shown?.name === `hint ${number}`}
            disabled={number > seen + 1}
            onClick={() =>
              void toggle(`hint ${number}`, `hint('${exercise}', ${number})`, () =>
                setSeen(before => Math.max(before, number))
              )()
            }
          >
            {trans.__('Hint %1', number)}
          </button>
        ))}
        <button
          className="gpc-Button"
          aria-expanded={shown?.name === 'solution'}
          title={isEarly ? trans.__('Hints remain. Click twice to show the solution anyway') : ''}
          onClick={() =>
            isEarly
              ? setSure(true)
              : void toggle('solution', `solution('${exercise}', anyway=True)`)()
          }
        >
          {isSure && seen < nHints && shown?.name !== 'solution'
            ? trans.__('Skip the remaining hints?')
            : trans.__('Solution')}
        </button>
      </div>
      <div role="status">
        {shown !== null && <Markdown source={shown.text} className="gpc-Help-text" />}
        {error !== '' && <p className="gpc-Study-quiet">{error}</p>}
      </div>
    </div>
  );
}
