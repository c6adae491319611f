import { h, useEffect, useRef, useState } from '../jsx';
import { isAnswered, isRight, type Answer } from './marking';
import type { IQuizPayload } from './payload';
import { QuestionView } from './questionview';
import { useOutputContext } from './outputcontext';
import { trans } from '../translation';

/** A practice exam: nothing is judged before all of it is handed in. */
export function ExamView({ payload }: { readonly payload: IQuizPayload }): JSX.Element {
  const { report } = useOutputContext();
  const { title, questions } = payload;
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const [isHandedIn, setHandedIn] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const result = useRef<HTMLParagraphElement>(null);
  const answerTo = (id: string): Answer => answers.get(id) ?? [];
  const open = questions.filter(question => !isAnswered(question, answerTo(question.id)));
  const right = questions.filter(question => isRight(question, answerTo(question.id)));

  useEffect(() => {
    if (isHandedIn) {
      result.current?.focus();
    }
  }, [isHandedIn]);

  const handIn = (): void => {
    if (open.length > 0 && !isAsking) {
      setAsking(true);
      return;
    }
    setHandedIn(true);
    const judged = questions.map(question => [question.id, right.includes(question)]);
    void report([{ kind: 'exam', answers: Object.fromEntries(judged) as Record<string, boolean> }]);
  };
  return (
    <section className="gpc-Study gpc-Quiz gpc-mod-exam" aria-label={title}>
      <header className="gpc-Study-header">
        <h3>{title}</h3>
        <span>
          {isHandedIn
            ? trans.__('%1 of %2 right', right.length, questions.length)
            : trans.__('%1 of %2 answered', questions.length - open.length, questions.length)}
        </span>
      </header>
      {isHandedIn && (
        <p ref={result} tabIndex={-1} role="status" className="gpc-Exam-result">
          <strong>{trans.__('%1 of %2 right.', right.length, questions.length)}</strong>{' '}
          {right.length === questions.length
            ? trans.__('All correct.')
            : trans.__('The answers are explained below.')}
        </p>
      )}
      {questions.map((question, place) => (
        <QuestionView
          key={question.id}
          question={question}
          number={place + 1}
          total={questions.length}
          answer={answerTo(question.id)}
          onAnswer={answer => {
            setAsking(false);
            setAnswers(before => new Map(before).set(question.id, answer));
          }}
          told={isHandedIn ? 'all' : 'nothing'}
          isRight={right.includes(question)}
        >
          {isHandedIn && (
            <p className="gpc-Verdict" data-stage={right.includes(question) ? 'right' : 'wrong'}>
              {right.includes(question)
                ? trans.__('✓ Right.')
                : open.includes(question)
                  ? trans.__('✗ Not answered.')
                  : trans.__('✗ Not right.')}
            </p>
          )}
        </QuestionView>
      ))}
      {!isHandedIn && (
        <footer className="gpc-Study-buttons">
          <button className="gpc-Button gpc-mod-accept gpc-mod-big" onClick={handIn}>
            {isAsking ? trans.__('Submit anyway') : trans.__('Submit')}
          </button>
          <span role="status">
            {isAsking &&
              trans._n(
                '%1 question has no answer yet.',
                '%1 questions have no answer yet.',
                open.length
              )}
          </span>
        </footer>
      )}
    </section>
  );
}
