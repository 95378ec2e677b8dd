// The texts of the pages, in the language of the address (?lang=zh), else in the browser's.

const LANGUAGES = ['en', 'zh'];

function wanted() {
  const asked = new URLSearchParams(location.search).get('lang');
  const all = [asked, ...navigator.languages].filter(Boolean).map((tag) => tag.slice(0, 2).toLowerCase());
  return all.find((tag) => LANGUAGES.includes(tag)) ?? 'en';
}

/** Reads the texts and fills in every element that names its own by data-word. */
export async function load() {
  const texts = await (await fetch('/words.json')).json();
  const lang = wanted();
  /** The text of a key, its gaps `{name}` filled; a key that is not there stands for itself. */
  const say = (key, gaps = {}) => {
    const text = texts[key]?.[lang] ?? key.slice(key.indexOf('.') + 1);
    return text.replace(/\{(\w+)\}/g, (gap, name) => gaps[name] ?? gap);
  };
  document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
  for (const element of document.querySelectorAll('[data-word]')) element.textContent = say(element.dataset.word);
  /** What was asked, in Chinese where it was asked in it. */
  const question = ({ question: text, question_zh: chinese }) => (lang === 'zh' && chinese) || text;
  return { say, lang, question };
}
