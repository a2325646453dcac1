;; Patterns: what is known, what is refused.

;; Patterns
(re-find #"(a)(b)?(c)?" "ac") ;=> ["ac" "a" "" "c"]
(re-find #"(a)|(b)" "b") ;=> ["b" "" "b"]
(re-find #"(a)|(b)" "a") ;=> ["a" "a"]
(re-find #"\d+" nil) ;!! type_error
(re-find nil "a") ;!! type_error
(re-matches #"(\d+)-(\d+)" "1-2") ;=> ["1-2" "1" "2"]
(re-matches #"\d+" "12a") ;=> nil
(re-matches #"" "") ;=> ""
(re-seq #"\d+" "a1b22") ;=> ["1" "22"]
(re-seq #"(\w)(\d)" "a1b2") ;=> [["a1" "a" "1"] ["b2" "b" "2"]]
(re-seq #"x" "abc") ;=> []
(re-seq "x" "abc") ;!! type_error
(re-split #"," "") ;=> [""]
(re-split #",+" "a,,b,") ;=> ["a" "b" ""]
(re-split "," "a") ;!! type_error
(re-split #"" "abc") ;=> ["" "a" "b" "c" ""]
(re-pattern "a+") ;=> #"a+"
(re-pattern nil) ;!! type_error
(re-pattern #"a") ;=> #"a"
(regex? (re-pattern "a")) ;=> true
(extract "(\\d+)" "n=5") ;=> "5"
(extract "\\d+" "n=5") ;=> nil
(extract "\\d+" "n=5" 0) ;=> "5"
(extract #"(\d)(\d)" "12" 2) ;=> "2"
(extract #"(\d)" "12" 5) ;=> nil
(extract #"(\d)" "x") ;=> nil
(extract #"(\d)" nil) ;!! type_error
(extract #"(\d)" "1" -1) ;=> nil
(extract "(" "x") ;!! type_error
(extract 5 "x") ;!! type_error
(extract-int "(\\d+)" "n=5") ;=> 5
(extract-int "(\\w+)" "n=x") ;=> nil
(extract-int "(\\w+)" "abc" 1 0) ;=> 0
(extract-int "n=(\\d+)" "x" 1 -1) ;=> -1
(extract-int "\\d+" "n=5" 0) ;=> 5
(extract-int "(\\d+)" "n=5" 7 9) ;=> 9
(extract-int "(\\d+)" nil 1 9) ;!! type_error

;; Syntax of patterns
(re-find #"(?<n>a)\k<n>" "aa") ;!! invalid_form
(re-find #"(a)\1" "aa") ;!! invalid_form
(re-find #"(?>a)" "a") ;!! invalid_form
(re-find #"a*+" "a") ;!! invalid_form
(re-find #"(?R)" "a") ;!! invalid_form
(re-find #"(?(1)a|b)" "a") ;!! invalid_form
(re-find #"\Ka" "a") ;!! invalid_form
(re-find #"\Ga" "a") ;!! invalid_form
(re-find #"\Qa.b\E" "a.b") ;!! invalid_form
(re-find #"(?P<x>a)" "a") ;=> ["a" "a"]
(re-find #"(?'x'a)" "a") ;=> ["a" "a"]
(re-find #"(?|(a)|(b))" "b") ;!! invalid_form
(re-find #"(?#comment)a" "a") ;=> "a"
(re-find #"\X" "é") ;!! invalid_form
(re-find #"\C" "a") ;!! invalid_form
(re-find #"\p{L}+" "éa1") ;=> "éa"
(re-find #"\p{Han}" "漢") ;=> "漢"
(re-find #"\pL" "a") ;=> "a"
(re-find #"\P{L}" "a1") ;=> "1"
(re-find #"\p{IsAlphabetic}" "a") ;!! invalid_form
(re-find #"\p{Alpha}+" "abc") ;=> "abc"
(re-find #"\p{Greek}" "α") ;=> "α"
(re-find #"\x{1F600}" "😀") ;=> "😀"
(re-find #"\u0041" "A") ;=> "A"
(re-find #"\x41" "A") ;=> "A"
(re-find #"\0" "a") ;=> nil
(re-find #"\012" "a") ;=> nil
(re-find #"\e\f\a\t\n\r" "a") ;=> nil
(re-find #"\cA" "a") ;!! invalid_form
(re-find #"[\w-]+" "a-b") ;=> "a-b"
(re-find #"[^\d]" "1a") ;=> "a"
(re-find #"[]a]" "]") ;=> "]"
(re-find #"[a&&b]" "&") ;=> "&"
(re-find #"[\b]" "x") ;=> nil
(re-find #"[[:digit:]]+" "a12") ;=> "12"
(re-find #"[[:^digit:]]+" "a12") ;=> "a"
(re-find #"[[:foo:]]" "a") ;!! invalid_form
(re-find #"a{0}" "a") ;=> ""
(re-find #"a{2}" "aa") ;=> "aa"
(re-find #"a{2,}" "aaa") ;=> "aaa"
(re-find #"a{3,2}" "aaa") ;!! invalid_form
(re-find #"a{" "a{") ;=> "a{"
(re-find #"a{1" "a{1") ;=> "a{1"
(re-find #"x{1001}" "a") ;=> nil
(re-find #"x{65536}" "a") ;=> nil
(re-find #"(?i)straße" "STRASSE") ;=> nil
(re-find #"(?i)É" "é") ;=> "é"
(re-find #"(?i)[a-z]+" "ABC") ;=> "ABC"
(re-find #"(?x) a b # c" "ab") ;=> "ab"
(re-find #"(?-i)a" "a") ;=> "a"
(re-find #"(?im)^B" "a\nb") ;=> "b"
(re-find #"(?U)a+" "aaa") ;!! invalid_form
(re-find #"(?J)a" "a") ;!! invalid_form
(re-find #"(?u)a" "a") ;=> "a"
(re-find #"(*UTF)a" "a") ;!! invalid_form
(re-find #"^$" "") ;=> ""
(re-find #"\bfoo\b" "a foo b") ;=> "foo"
(re-find #"\Bo" "foo") ;=> "o"
(re-find #"\w+" "naïve") ;=> "naïve"
(re-find #"\d+" "٣٤") ;=> "٣٤"
(re-find #"\s" " ") ;=> " "
(re-find #"." "👍🏽") ;=> "👍"
(re-find #"^.$" "👍") ;=> "👍"
(re-find #"\h+" "a \tb") ;=> " \t"
(re-find #"\H\V\N" "abc") ;=> "abc"
(re-find #"(?<!a)b" "cb") ;=> "b"
(re-find #"(?<=a|bc)d" "bcd") ;=> "d"
(re-find #"(?<=a+)b" "ab") ;!! invalid_form
(re-find #"(?=a)" "ba") ;=> ""
(re-find #"(?!a)." "ab") ;=> "b"
(re-find #"a|b|" "c") ;=> ""
(re-find #"()" "") ;=> ["" ""]
(re-find #"a??b" "ab") ;=> "ab"
(re-find #"[z-a]" "a") ;!! invalid_form
(re-find #"[a-\d]" "-") ;!! invalid_form
(re-find #"+" "a") ;!! invalid_form
(re-find #")" "a") ;!! invalid_form
(re-find #"[" "a") ;!! invalid_form
(re-find #"\\" "a\\b") ;!! invalid_form
(re-pattern "\\") ;!! type_error
(re-pattern "a{99999}") ;=> #"a{99999}"
(re-find (re-pattern "(?i)abc") "xABCx") ;=> "ABC"
(re-find #"\/" "/") ;=> "/"
(re-find #"\-\." "-.") ;=> "-."
(re-find #"\y" "y") ;!! invalid_form
(re-find #"\_" "_") ;=> "_"
(re-seq #"(?m)^.*$" "a\nb") ;=> ["a" "b"]
(re-seq #"" "ab") ;=> ["" "" ""]
(re-seq #"\b" "ab cd") ;=> ["" "" "" ""]
(re-seq #"a|ab" "abab") ;=> ["a" "a"]
(re-split #"\s*,\s*" "a , b,c") ;=> ["a" "b" "c"]
(re-split #"(,)|;" "a,b;c") ;=> ["a" "," "b" "c"]
(replace "hello world" #"o" "0") ;=> "hell0 w0rld"
(replace "abc" #"" "-") ;=> "-a-b-c-"
(replace "John Smith" #"(\w+) (\w+)" "$2 $1") ;=> "$2 $1"
(replace "a1b2" #"\d" (fn [x] x)) ;!! type_error
(extract-int "(\\d+)" "99999999999999999999") ;=> 99999999999999999999
(extract "(?<y>\\d+)" "y=31") ;=> "31"
(extract "(a)|(b)" "b" 1) ;=> nil
(extract "(a)|(b)" "b" 2) ;=> "b"

;; Everyday patterns
(re-find #"\d+" "room 12, floor 3") ;=> "12"
(re-seq #"\d+" "room 12, floor 3") ;=> ["12" "3"]
(re-find #"(\w+)@([\w.]+)" "mail ada@example.com now") ;=> ["ada@example.com" "ada" "example.com"]
(re-seq #"#(\w+)" "fix #12 and #abc") ;=> [["#12" "12"] ["#abc" "abc"]]
(map second (re-seq #"#(\w+)" "fix #12 and #abc")) ;=> ["12" "abc"]
(re-matches #"[A-Z]{2}\d{2}" "DE12") ;=> "DE12"
(re-matches #"[A-Z]{2}\d{2}" "DE123") ;=> nil
(re-matches #"(\d{4})-(\d\d)-(\d\d)" "2031-05-04") ;=> ["2031-05-04" "2031" "05" "04"]
(let [[_ y m d] (re-matches #"(\d{4})-(\d\d)-(\d\d)" "2031-05-04")] (str d "." m "." y)) ;=> "04.05.2031"
(let [[_ y] (re-matches #"(\d{4})-.*" "no date")] y) ;=> nil
(if (re-find #"(?i)error" "An ERROR occurred") :bad :good) ;=> :bad
(filter #(re-find #"^a" %) ["ab" "ba" "ac"]) ;=> ["ab" "ac"]
(re-seq #"(?m)^- (.+)$" "- milk\nno\n- bread") ;=> [["- milk" "milk"] ["- bread" "bread"]]
(re-split #"\s*;\s*" "a ; b;c") ;=> ["a" "b" "c"]
(split "one  two\tthree" #"\s+") ;=> ["one" "two" "three"]
(extract "id=(\\w+)" "x id=a7 y") ;=> "a7"
(extract "(\\d+)-(\\d+)" "10-20" 2) ;=> "20"
(extract-int "took=(\\d+)ms" "GET took=35ms") ;=> 35
(extract-int "took=(\\d+)ms" "GET" 1 0) ;=> 0
(extract #"(?:price|cost): ([\d.]+)" "cost: 12.50") ;=> "12.50"
(replace "a1b22" #"\d+" "<&>") ;=> "a<1>b<22>"
(replace "tel 030-1234" #"\D" "") ;=> "0301234"
(re-find #"colou?r" "the color") ;=> "color"
(re-seq #"\b\w{4}\b" "this is what it does") ;=> ["this" "what" "does"]
(re-find #"<b>(.*?)</b>" "<b>x</b><b>y</b>") ;=> ["<b>x</b>" "x"]
(re-find #"<b>(.*)</b>" "<b>x</b><b>y</b>") ;=> ["<b>x</b><b>y</b>" "x</b><b>y"]
(re-seq #"\p{Lu}\w*" "Ada met Bo") ;=> ["Ada" "Bo"]
(re-find #"(?<=\$)\d+" "cost $45") ;=> "45"
(re-seq #"\w+(?=!)" "hey! you stop!") ;=> ["hey" "stop"]
(let [p (re-pattern (str "(?i)" "ulm"))] (map #(boolean (re-find p %)) ["ULM" "Kiel"])) ;=> [true false]
(every? #(re-matches #"\d+" %) ["1" "23"]) ;=> true
(re-matches #"(a|b)+" "abab") ;=> ["abab" "b"]
(re-seq #"[^,]+" "a,,b") ;=> ["a" "b"]
(into {} (map (fn [[_ k v]] [k v]) (re-seq #"(\w+)=(\w+)" "a=1 b=2"))) ;=> {"a" "1" "b" "2"}
(count (re-seq #"(?i)the" "The other one, the best")) ;=> 3
