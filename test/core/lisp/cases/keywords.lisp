;; Keywords, symbols, characters, and how text is read.

;; Keywords
:name ;=> :name
:2fa ;=> :2fa
:a-b_c?! ;=> :a-b_c?!
[:a:b] ;=> [:a :b]
:nil ;=> :nil
(= :true true) ;=> false
(= :a :a) ;=> true
(= :a :A) ;=> false
(keyword? :a) ;=> true
(keyword? (first (keys {:a 1}))) ;=> true
(str :status) ;=> ":status"
(subs (str :status) 1) ;=> "status"
(:total {:total 5}) ;=> 5
(:total {:sum 5} 0) ;=> 0
(:a {:a nil} 5) ;=> nil
(map :id [{:id 1} {"id" 2}]) ;=> [1 2]
((if true :a :b) {:a 1 :b 2}) ;=> 1
(let [field :qty] (field {:qty 4})) ;=> 4
(-> {:user {:name "Bo"}} :user :name) ;=> "Bo"
(sort [:b :a :c]) ;=> [:a :b :c]
(get {:a 1} ":a") ;=> nil
(apply :b [{:b 2}]) ;=> 2
(:user-id {"user-id" 8}) ;=> 8
(name :a) ;!! unbound_var
(keyword "a") ;!! unbound_var
:a/b ;!! unbound_var
::a ;!! parse_error
: ;!! parse_error
(:) ;!! parse_error

;; Names
(let [a-long-name! 1 x' 2] a-long-name!) ;!! parse_error
(let [total->cents 5 ok? true] [total->cents ok?]) ;=> [5 true]
(let [_ 1 x 2] _) ;=> 1
(let [Total 3] Total) ;=> 3
(let [map 3] (inc map)) ;=> 4
(let [str "x"] (count str)) ;=> 1
(let [if 3] if) ;=> 3
(let [n1 1 n2 2] (+ n1 n2)) ;=> 3
(def *limit* 5) *limit* ;=> 5
(def größe 5) ;!! parse_error
(let [a/b 1] a) ;!! unsupported_pattern
(let [*1 1] *1) ;!! unsupported_pattern
[*1 *2 *3] ;=> [nil nil nil]
*4 ;!! unbound_var
unknown-thing ;!! unbound_var
(foo 1 2) ;!! unbound_var
(str "a" undefined-name) ;!! unbound_var
(if true 1 missing) ;!! unbound_var
(fn [x] y) ;!! unbound_var
(or missing 4) ;=> 4
(or (inc missing) 4) ;!! unbound_var
data ;!! unbound_var
+5 ;!! unbound_var
.5 ;!! unbound_var

;; Numbers, strings and characters as they are written
-5 ;=> -5
[7abc] ;!! unbound_var
1e3 ;=> 1000.0
-2.5E-1 ;=> -0.25
5. ;!! unbound_var
007 ;=> 7
["a""b"] ;=> ["a" "b"]
[1"a":b[2]] ;=> [1 "a" :b [2]]
"a\"b" ;=> "a\"b"
(count "a\nb") ;=> 3
(count "\d") ;=> 2
"\u0041" ;=> "\\u0041"
(= "\x" "\\x") ;=> true
[\space \tab \newline] ;=> [" " "\t" "\n"]
\é ;=> "é"
(str \a \b) ;=> "ab"
(count [\newline \s]) ;=> 2
(count "two
lines")
;=> 9
(+ 1 ; the first
   2) ; the second
;=> 3

;; Comments, brackets, several forms
1 2 3 ;=> 3
(def a 1) (def b (inc a)) [a b] ;=> [1 2]
(inc 1)) ;=> 2
] 5 ;=> 5
(inc 1 ;!! parse_error
[1 2) ;!! parse_error
{:a} ;!! parse_error
{:a 1 :b} ;!! parse_error
"open ;!! parse_error
(quote a) ;!! unbound_var
'a ;!! parse_error
`(a) ;!! parse_error
@a ;!! parse_error
#_ 1 2 ;!! parse_error
() ;!! invalid_form
# {1} ;!! parse_error
#{1 2 1} ;=> #{1 2}
{:a 1 :a 2} ;=> {:a 2}
#'missing ;!! unbound_var
(def v 5) #'v ;=> 5
(#'inc 1) ;=> 2
% ;!! invalid_placeholder
(fn [%] 1) ;!! invalid_placeholder
~a ;!! parse_error
^:a [] ;!! parse_error
