### Выбор голоса: список с фильтрами и примеры звучания.

voice-list-hint = Нажмите ▶️, чтобы послушать. Любой голос читает и по-русски.
voice-list-previous = ⬅️ Предыдущие
voice-list-next = Следующие ➡️
voice-hear = ▶️ Послушать
voice-choose = ✅ Выбрать этот голос
voice-sample = 🎧 { $voice }
voice-sample-drawn = 🎧 { $voice } · мелодия вместо голоса
voice-sample-gone = Этого примера больше нет. Голос можно выбрать и без него.
voice-sample-failed = Не получилось отправить пример. Нажмите ещё раз.

## Фильтры; выбранный снимается вторым нажатием
voice-only-set = ✓ { $name }
voice-only-female = 👩 Женские
voice-only-male = 👨 Мужские
voice-only-british = 🇬🇧 Британия
voice-only-australian = 🇦🇺 Австралия
voice-only-indian = 🇮🇳 Индия

## Знаки у имени
voice-sign-female = 👩
voice-sign-male = 👨
voice-sign-british = 🇬🇧
voice-sign-australian = 🇦🇺
voice-sign-indian = 🇮🇳
