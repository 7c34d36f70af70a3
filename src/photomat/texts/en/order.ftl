### An order in words: on the card, under its result, in the history.
order-yes = yes
order-no = no
order-files-image = { $count ->
        [one] { $count } picture
       *[other] { $count } pictures
    }
order-files-video = { $count ->
        [one] { $count } video
       *[other] { $count } videos
    }
order-files-audio = { $count ->
        [one] { $count } recording
       *[other] { $count } recordings
    }
order-files-document = { $count ->
        [one] { $count } file
       *[other] { $count } files
    }
order-more-lines = and { $count } more
order-earlier = order no. { $job }
order-earlier-track = order no. { $job }, track { $track }
fail-input = A file or an earlier result this order was made from is no longer there. Please send it again.
history-fail-input = a file of the order is no longer there
